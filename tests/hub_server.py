"""A stand-in for the Hub on this machine: model repositories, as its HTTP interface shows them.

What it answers is enough for ``huggingface_hub`` and for llama.cpp's own downloads.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "hf_standInTokenThatNobodyMaySee"
NAME = "somebody/Model-GGUF"


def blob_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@dataclass
class Hub:
    """The repository `NAME`, others, and what happened to them.

    `fails` is a status and a message that requests whose path holds its key get; `public`
    answers those who show no token, too.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    others: dict[str, dict[str, bytes]] = field(default_factory=dict)
    public: bool = False
    large: set[str] = field(default_factory=set)
    commits: list[dict[str, object]] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    fails: dict[str, tuple[int, str]] = field(default_factory=dict)
    uploads: dict[str, bytes] = field(default_factory=dict)
    remark: str | None = None
    refuses: str | None = None
    address: str = ""

    @property
    def sha(self) -> str:
        return self.sha_of(NAME)

    def sha_of(self, repository: str) -> str:
        return hashlib.sha1(repr([sorted(self.of(repository).items())]).encode()).hexdigest()

    def of(self, repository: str) -> dict[str, bytes]:
        return self.files if repository == NAME else self.others[repository]


class Handler(BaseHTTPRequestHandler):
    """Answers as the Hub does to what ``huggingface_hub`` asks."""

    protocol_version = "HTTP/1.1"

    @property
    def hub(self) -> Hub:
        return self.server.hub  # type: ignore[attr-defined]

    def log_message(self, *arguments: object) -> None:
        """Nothing: the tests look at `requests`."""

    def answer(
        self, content: object, status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def handle_request(self) -> None:
        address = urlsplit(self.path)
        path, query = unquote(address.path), parse_qs(address.query)
        length = int(self.headers.get("Content-Length") or 0)
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b"".join(self.chunks())
        else:
            body = self.rfile.read(length)
        self.hub.requests.append(f"{self.command} {path}")
        for key, (status, message) in self.hub.fails.items():
            if key in path:
                code = {404: "RepoNotFound"}.get(status, "")
                headers = {"X-Error-Message": message} | ({"X-Error-Code": code} if code else {})
                self.answer({"error": message}, status, headers)
                return
        known = self.headers.get("Authorization") == f"Bearer {TOKEN}" or self.hub.public
        if not known and self.command != "PUT":
            self.answer(
                {"error": "who?"}, 401, {"X-Error-Message": "Invalid username or password."}
            )
            return
        self.route(path, query, body)

    do_GET = do_HEAD = do_POST = do_PUT = handle_request  # noqa: N815

    def chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline().strip() or b"0", 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def route(self, path: str, query: dict[str, list[str]], body: bytes) -> None:
        hub = self.hub
        found = re.match(r"/(?:api/models/)?([\w.-]+/[\w.-]+?)(?:\.git)?(/.*)?$", path)
        name, rest = (found[1], found[2] or "") if found else ("", "")
        if name not in (NAME, *hub.others):
            self.elsewhere(path, body)
        elif path == f"/api/models/{name}":
            self.answer({"id": name, "sha": hub.sha_of(name), "siblings": [], "private": False})
        elif rest == "/refs":
            self.answer({"branches": [{"name": "main", "targetCommit": hub.sha_of(name)}]})
        elif rest.startswith("/tree/"):
            self.answer([self.described(name, file) for file in hub.of(name)])
        elif rest.startswith("/paths-info/"):
            there = hub.of(name)
            self.answer([self.described(name, file) for file in self.paths(body) if file in there])
        elif rest.startswith("/resolve/"):
            content = hub.of(name)[rest.split("/", 3)[3]]
            headers = {"ETag": f'"{blob_id(content)}"', "X-Repo-Commit": hub.sha_of(name)}
            self.answer(content, headers=headers)
        elif rest.startswith("/preupload/"):
            files = [
                {
                    "path": file["path"],
                    "uploadMode": "lfs" if file["path"].endswith(".png") else "regular",
                    "shouldIgnore": False,
                    "oid": None,
                }
                for file in json.loads(body)["files"]
            ]
            self.answer({"files": files})
        elif rest == "/info/lfs/objects/batch":
            objects = [
                {
                    "oid": item["oid"],
                    "size": item["size"],
                    "actions": {"upload": {"href": f"{hub.address}/put/{item['oid']}"}},
                }
                for item in json.loads(body)["objects"]
            ]
            self.answer({"transfer": "basic", "objects": objects})
        elif rest.startswith("/commit/"):
            self.commit(name, query, body)
        else:
            self.answer({"error": f"nothing is at {path}"}, 404)

    def elsewhere(self, path: str, body: bytes) -> None:
        hub = self.hub
        if path == "/api/validate-yaml":
            if hub.refuses:
                self.answer({"errors": [{"message": hub.refuses}], "warnings": []}, 400)
            else:
                remarks = [{"message": hub.remark}] if hub.remark else []
                self.answer({"errors": [], "warnings": remarks})
        elif path.startswith("/put/"):
            hub.uploads[path.removeprefix("/put/")] = body
            self.answer(b"")
        else:
            self.answer({"error": f"nothing is at {path}"}, 404)

    def paths(self, body: bytes) -> list[str]:
        try:
            return list(json.loads(body)["paths"])
        except ValueError:
            return parse_qs(body.decode())["paths"]

    def described(self, repository: str, name: str) -> dict[str, object]:
        content = self.hub.of(repository)[name]
        found: dict[str, object] = {
            "type": "file",
            "path": name,
            "size": len(content),
            "oid": blob_id(content),
        }
        if name in self.hub.large:
            oid = hashlib.sha256(content).hexdigest()
            found |= {"oid": "0" * 40, "lfs": {"oid": oid, "size": len(content), "pointerSize": 1}}
        return found

    def commit(self, name: str, query: dict[str, list[str]], body: bytes) -> None:
        hub = self.hub
        lines = [json.loads(line) for line in body.splitlines()]
        head = lines[0]["value"]
        if head.get("parentCommit") != hub.sha_of(name):
            self.answer({"error": "a commit has happened since"}, 412)
            return
        pr = query.get("create_pr") == ["1"]
        files, removed = {}, []
        for line in lines[1:]:
            value = line["value"]
            if line["key"] == "deletedFile":
                removed.append(value["path"])
            elif line["key"] == "lfsFile":
                files[value["path"]] = hub.uploads[value["oid"]]
                hub.large.add(value["path"])
            else:
                files[value["path"]] = base64.b64decode(value["content"])
        hub.commits.append(
            {"summary": head["summary"], "files": files, "pr": pr, "removed": removed}
        )
        if not pr:
            hub.of(name).update(files)
            for path in removed:
                del hub.of(name)[path]
        oid = "c" * 40
        answer = {
            "success": True,
            "commitOid": oid,
            "commitUrl": f"{hub.address}/{name}/commit/{oid}",
        }
        if pr:
            answer["pullRequestUrl"] = f"{hub.address}/{name}/discussions/1"
        self.answer(answer)


@contextmanager
def running() -> Iterator[Hub]:
    """The stand-in on a free port of this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hub = Hub(address=f"http://127.0.0.1:{server.server_address[1]}")
    server.hub = hub  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

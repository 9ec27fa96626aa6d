"""A stand-in for the Hub on this machine: one model repository, as its HTTP interface shows it."""

from __future__ import annotations

import base64
import hashlib
import json
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
    """The repository and what happened to it.

    `fails` is a status and a message that requests whose path holds its key get.
    """

    files: dict[str, bytes] = field(default_factory=dict)
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
        return hashlib.sha1(repr([sorted(self.files.items())]).encode()).hexdigest()


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
        if self.headers.get("Authorization") != f"Bearer {TOKEN}" and self.command != "PUT":
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
        if path == f"/api/models/{NAME}":
            self.answer({"id": NAME, "sha": hub.sha, "siblings": [], "private": False})
        elif path.startswith(f"/api/models/{NAME}/paths-info/"):
            asked = self.paths(body)
            self.answer([self.described(name) for name in asked if name in hub.files])
        elif path.startswith(f"/{NAME}/resolve/"):
            content = hub.files[path.split("/", 5)[5]]
            headers = {"ETag": f'"{blob_id(content)}"', "X-Repo-Commit": hub.sha}
            self.answer(content, headers=headers)
        elif path == "/api/validate-yaml":
            if hub.refuses:
                self.answer({"errors": [{"message": hub.refuses}], "warnings": []}, 400)
            else:
                remarks = [{"message": hub.remark}] if hub.remark else []
                self.answer({"errors": [], "warnings": remarks})
        elif path.startswith(f"/api/models/{NAME}/preupload/"):
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
        elif path == f"/{NAME}.git/info/lfs/objects/batch":
            objects = [
                {
                    "oid": item["oid"],
                    "size": item["size"],
                    "actions": {"upload": {"href": f"{hub.address}/put/{item['oid']}"}},
                }
                for item in json.loads(body)["objects"]
            ]
            self.answer({"transfer": "basic", "objects": objects})
        elif path.startswith("/put/"):
            hub.uploads[path.removeprefix("/put/")] = body
            self.answer(b"")
        elif path.startswith(f"/api/models/{NAME}/commit/"):
            self.commit(query, body)
        else:
            self.answer({"error": f"nothing is at {path}"}, 404)

    def paths(self, body: bytes) -> list[str]:
        try:
            return list(json.loads(body)["paths"])
        except ValueError:
            return parse_qs(body.decode())["paths"]

    def described(self, name: str) -> dict[str, object]:
        content = self.hub.files[name]
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

    def commit(self, query: dict[str, list[str]], body: bytes) -> None:
        hub = self.hub
        lines = [json.loads(line) for line in body.splitlines()]
        head = lines[0]["value"]
        if head.get("parentCommit") != hub.sha:
            self.answer({"error": "a commit has happened since"}, 412)
            return
        pr = query.get("create_pr") == ["1"]
        files = {}
        for line in lines[1:]:
            value = line["value"]
            if line["key"] == "lfsFile":
                files[value["path"]] = hub.uploads[value["oid"]]
                hub.large.add(value["path"])
            else:
                files[value["path"]] = base64.b64decode(value["content"])
        hub.commits.append({"summary": head["summary"], "files": files, "pr": pr})
        if not pr:
            hub.files.update(files)
        oid = "c" * 40
        answer = {
            "success": True,
            "commitOid": oid,
            "commitUrl": f"{hub.address}/{NAME}/commit/{oid}",
        }
        if pr:
            answer["pullRequestUrl"] = f"{hub.address}/{NAME}/discussions/1"
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

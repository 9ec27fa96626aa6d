"""Paths, keys and names that nobody may read in anything that is written or said.

`MARKS` are the words by which they are found again; what surrounds them may stay.
"""

from __future__ import annotations

import re

_PICTURE = re.compile(r"[A-Za-z0-9+/=]{300,}")

MARKS = ("zaphod", "QsecretQ", "4242424242")

PLANTED = (
    # Folders, in every form.
    r"E:\zaphod\models\a.gguf",
    r"C:\Users\zaphod\logs\run.log",
    "C:/Users/zaphod/run.log",
    r'"C:\Users\Zaphod B\My Models\a b.gguf"',
    r"D:\Zaphod Models\sub dir\a.gguf",
    r"D:\\zaphod\\models\\a.gguf",
    "/home/zaphod/models/a.gguf",
    "'/srv/zaphod files/a b.gguf'",
    "/mnt/4tb/zaphod models/sub dir/a.gguf",
    r"/data/my\ zaphod\ models/a.gguf",
    "~/zaphod/a.gguf",
    "~zaphod/logs",
    "$HOME/zaphod/a.txt",
    "${HOME}/zaphod/a.gguf",
    r"$env:USERPROFILE\zaphod\a.gguf",
    r"%USERPROFILE%\zaphod\a.txt",
    r"\\zaphod-nas\share\a.gguf",
    r"\\\\zaphod-nas\\share\\a.gguf",
    "file:///srv/zaphod/a.gguf",
    "../zaphod/a.gguf",
    "models/zaphod/a.gguf",
    "llama-server -m /opt/zaphod/a.gguf --lora /opt/zaphod/l.bin -np 1",
    "failed to open '/var/lib/zaphod/state.db': no such file",
    "--log-file zaphod/run",
    "--lora zaphod/l.bin -np 1",
    "logs/zaphod/run.log",
    r"logs\zaphod\run.txt",
    "zaphod/a.safetensors",
    r"\\?\C:\Users\zaphod\a.txt",
    "PATH=/usr/bin:/home/zaphod/bin:/opt/zaphod/bin",
    # Users and machines.
    "zaphod@example.org",
    "zaphod@gpu-box:~/llama.cpp$ make",
    "[zaphod@gpu-box llama.cpp]$ make",
    "ssh zaphod@zaphodbox",
    "http://zaphodbox:8080/v1/models",
    "https://zaphod.internal/x",
    "Linux zaphodbox 6.8.0-45-generic x86_64",
    "hostname: zaphodbox",
    "zaphod@zaphods-mac ~ % make",
    "Username: ZAPHODBOX\\zaphod",
    "RunAs User: ZAPHODBOX\\zaphod",
    "Machine: ZAPHODBOX (Microsoft Windows NT 10.0.26100.0)",
    "ssh -p 22 -i k zaphod@example",
    "USER=zaphod HOSTNAME=zaphodbox",
    '{"_HOSTNAME": "zaphodbox", "user": "zaphod"}',
    # Keys.
    "hf_QsecretQabcdefghijklmnopqrstuvwxyz01234",
    "sk-proj-QsecretQabcdefghijklmnop",
    "ghp_QsecretQabcdefghijklmnopqrstu",
    "xoxb-QsecretQ123456789-abcdef",
    "eyJQsecretQabcdefgh.eyJzdWIiOiJ4In0.QsecretQsignature",
    "Bearer QsecretQabcdef",
    "Authorization: Basic QsecretQ==",
    '"headers": {"authorization": "Bearer QsecretQabcdef"}',
    "https://zaphod:QsecretQ@example.org/x",
    "https://example.org/x?api_key=QsecretQ&n=4",
    "postgres://zaphod:QsecretQ@db.example.org/x",
    "zaphod:QsecretQ@10.0.0.9:5432",
    "--api-key QsecretQ",
    "--hf-token=QsecretQ",
    "-hft QsecretQ",
    "--api-key \\\n    QsecretQ",
    '["--api-key", "QsecretQ"]',
    "HF_TOKEN=QsecretQ AWS_SECRET_ACCESS_KEY=QsecretQ/x+y",
    '{"api_key": "QsecretQ", "max_tokens": 192}',
    r"{\"apiKey\": \"QsecretQ\"}",
    "{'password': 'QsecretQ', 'api_key': ['QsecretQ']}",
    "client_secret: QsecretQ",
    "gsk_QsecretQabcdefghijklmnopqrstuvwx",
    "GOCSPX-QsecretQabcdef",
    "ya29.QsecretQabcdefgh",
    "AccountKey=QsecretQ==;",
    "Cookie: session=QsecretQ; theme=QsecretQ",
    "-----BEGIN PRIVATE KEY----- QsecretQ -----END PRIVATE KEY-----",
    "--api-key 4242424242",
    "password: 4242424242",
    '{"api_key": 4242424242}',
    "HF_TOKEN=4242424242",
)


def found_in(text: str) -> list[str]:
    """The marks in a text, with what is around them; pictures in it are passed over."""
    text = _PICTURE.sub("", text)
    lowered = text.lower()
    found = []
    for mark in MARKS:
        at = lowered.find(mark.lower())
        if at >= 0:
            found.append(text[max(at - 60, 0) : at + 60])
    return found

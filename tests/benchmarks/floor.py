# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The floor of every rollout: server-side apply of bodies that are at hand, and nothing else.

    floor.py KUBECONFIG FILE    each line of FILE is a path, a tab, and a body as JSON

Eight threads with a connection each, which stays open; the answers are not read.
"""

from __future__ import annotations

import http.client
import ssl
import sys
import tempfile
import threading
import time
from base64 import b64decode
from collections.abc import Iterable, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import yaml

WORKERS = 8
_HEADERS = {"Content-Type": "application/apply-patch+yaml", "Accept": "application/json", "User-Agent": "floor"}
_QUERY = "?fieldManager=bench&force=true"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Answer(NamedTuple):
    """The server's message about the body that went to ``path``."""

    path: str
    status: int
    text: bytes

    @property
    def accepted(self) -> bool:
        """Whether it is applied."""
        return self.status in (200, 201)


def read_lines(file: Path) -> list[tuple[str, bytes]]:
    """Return paths and bodies."""
    parts = (line.partition(b"\t") for line in file.read_bytes().splitlines())
    return [(path.decode(), body) for path, _tab, body in parts]


def send_all(kubeconfig: Path, lines: Iterable[tuple[str, bytes]], workers: int = WORKERS) -> list[Answer]:
    """Apply each body and return the answers in the order of ``lines``."""
    document = yaml.load(kubeconfig.read_bytes(), _LOADER)  # noqa: S506
    (cluster,) = [item["cluster"] for item in document["clusters"]]
    (user,) = [item["user"] for item in document["users"]]
    address = urlsplit(cluster["server"])
    context = _context(cluster, user)
    queue: SimpleQueue[tuple[int, str, bytes]] = SimpleQueue()
    for number, (path, body) in enumerate(lines):
        queue.put((number, path, body))
    answers: dict[int, Answer] = {}
    total = queue.qsize()

    def work() -> None:
        connection = http.client.HTTPSConnection(address.hostname or "", address.port, context=context)
        while True:
            try:
                number, path, body = queue.get_nowait()
            except Empty:
                break
            connection.request("PATCH", f"{path}{_QUERY}", body, _HEADERS)
            answer = connection.getresponse()
            answers[number] = Answer(path, answer.status, answer.read())
        connection.close()

    threads = [threading.Thread(target=work) for _worker in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [answers.get(number, Answer("?", 0, b"no answer")) for number in range(total)]


def refused(answers: Sequence[Answer]) -> str:
    """Return a line for each body that the server did not take."""
    return "\n".join(f"{answer.path}: {answer.status} {answer.text!r}" for answer in answers if not answer.accepted)


def _context(cluster: dict[str, Any], user: dict[str, Any]) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=b64decode(cluster["certificate-authority-data"]).decode())
    with tempfile.NamedTemporaryFile() as file:  # only its owner may read it; Python loads keys from files only
        file.write(b64decode(user["client-certificate-data"]) + b64decode(user["client-key-data"]))
        file.flush()
        context.load_cert_chain(file.name)
    return context


def main() -> None:
    """Send, fail if anything was refused, and print how many seconds the requests took."""
    kubeconfig, file = map(Path, sys.argv[1:])
    lines = read_lines(file)
    start = time.perf_counter()
    message = refused(send_all(kubeconfig, lines))
    if message:
        sys.exit(message)
    print(time.perf_counter() - start)


if __name__ == "__main__":
    main()

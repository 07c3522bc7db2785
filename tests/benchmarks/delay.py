# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A longer way to a server on loopback: delay.py PORT MILLISECONDS

Prints the port that it listens on, and ends with its standard input. Each byte arrives that much later, in either
direction; a new connection costs both ways once, as its handshake would. Nothing is limited, and no connection waits
for another: what passes is not looked at.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from contextlib import suppress

_CHUNK = 1 << 18


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    """Hand on what is read, ``seconds`` after it came, in as many pieces as are under way."""
    loop = asyncio.get_running_loop()
    under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def write() -> None:
        while True:
            due, data = await under_way.get()
            await asyncio.sleep(max(0.0, due - loop.time()))
            if not data:
                break
            writer.write(data)
            await writer.drain()
        writer.close()

    writing = asyncio.create_task(write())
    with suppress(ConnectionError):
        while data := await reader.read(_CHUNK):
            under_way.put_nowait((loop.time() + seconds, data))
    under_way.put_nowait((loop.time() + seconds, b""))
    with suppress(ConnectionError):
        await writing


async def serve(port: int, seconds: float) -> None:
    """Accept connections until standard input ends."""

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(2 * seconds)
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            writer.close()
            return
        with suppress(asyncio.CancelledError):  # no caller waits for what is under way at the end
            await asyncio.gather(pump(reader, far_writer, seconds), pump(far_reader, writer, seconds))

    loop = asyncio.get_running_loop()
    ended = asyncio.Event()

    def wait_for_end() -> None:
        sys.stdin.buffer.read()
        loop.call_soon_threadsafe(ended.set)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    threading.Thread(target=wait_for_end, daemon=True).start()
    await ended.wait()
    server.close()


def main() -> None:
    """Forward."""
    asyncio.run(serve(int(sys.argv[1]), float(sys.argv[2]) / 1000))


if __name__ == "__main__":
    main()

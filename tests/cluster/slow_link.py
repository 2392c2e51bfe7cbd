"""A link that is slow, stands still for a while, or breaks: a proxy between a coordinator and its scheduler."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Link:
    """Bytes arrive `delay` seconds late, and none while `still` is set. `passed` counts them."""

    def __init__(self, port: int, delay: float) -> None:
        self.target, self.delay = port, delay
        self.port, self.passed = 0, 0
        self.still = threading.Event()
        self.loop = asyncio.new_event_loop()
        self.ready, self.over = threading.Event(), asyncio.Event()
        self.writers: list[asyncio.StreamWriter] = []
        self.tasks: set[asyncio.Task[None]] = set()

    def run(self) -> None:
        self.loop.run_until_complete(self._serve())
        self.loop.close()

    def break_off(self) -> None:
        """Both ends notice at once."""
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.over.set)

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        await self.over.wait()
        server.close()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for writer in self.writers:
            writer.transport.abort()
        await asyncio.sleep(0.05)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self.target)
        self.writers += [writer, back]
        for source, sink in ((reader, back), (there, writer)):
            queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
            for work in (self._take(source, queue), self._give(queue, sink)):
                task = asyncio.ensure_future(work)
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)

    async def _take(self, source: asyncio.StreamReader, queue: asyncio.Queue[tuple[float, bytes]]) -> None:
        try:
            while data := await source.read(1 << 16):
                queue.put_nowait((time.monotonic() + self.delay, data))
        except OSError:
            pass
        queue.put_nowait((time.monotonic(), b""))

    async def _give(self, queue: asyncio.Queue[tuple[float, bytes]], sink: asyncio.StreamWriter) -> None:
        try:
            while True:
                due, data = await queue.get()
                while self.still.is_set() or time.monotonic() < due:
                    await asyncio.sleep(min(max(due - time.monotonic(), 0.005), 0.02))
                if not data:
                    break
                sink.write(data)
                self.passed += len(data)
                await sink.drain()
        except OSError:
            pass
        sink.close()


@contextmanager
def link_to(port: int, delay: float = 0.0) -> Iterator[Link]:
    link = Link(port, delay)
    thread = threading.Thread(target=link.run, daemon=True)
    thread.start()
    link.ready.wait(10)
    try:
        yield link
    finally:
        link.break_off()
        thread.join(10)

"""The USB cable: bytes of the base on their way to the host, some of which never arrive. Pure."""

from __future__ import annotations


class UsbCable:
    """`through` gives what arrives of what was sent."""

    def __init__(self) -> None:
        self.plugged = True
        self._to_lose = 0
        self.lost = 0

    def lose(self, count: int) -> None:
        """The next `count` bytes are lost."""
        self._to_lose += count

    def through(self, data: bytes) -> bytes:
        """What of the bytes arrives."""
        if not self.plugged:
            self.lost += len(data)
            return b""
        if not self._to_lose:
            return data
        gone = min(self._to_lose, len(data))
        self._to_lose -= gone
        self.lost += gone
        return data[gone:]

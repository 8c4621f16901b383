"""What the referee is about to say, numbered in the order it is said."""

from __future__ import annotations

from rig.messages import Fact, Request, Ruling


class Outbox:
    """Collects what one step says; `empty` hands it over. Facts, rulings and requests share one count of ids."""

    def __init__(self) -> None:
        self._id = 0
        self._facts: list[Fact] = []
        self._rulings: list[Ruling] = []
        self._requests: list[Request] = []

    def next_id(self) -> int:
        self._id += 1
        return self._id

    def fact(self, fact: Fact) -> None:
        self._facts.append(fact)

    def ruling(self, ruling: Ruling) -> None:
        self._rulings.append(ruling)

    def request(self, request: Request) -> None:
        self._requests.append(request)

    @property
    def said(self) -> int:
        """How many rulings wait to be said."""
        return len(self._rulings)

    def rulings_since(self, said: int) -> tuple[Ruling, ...]:
        """Those that wait, without the first `said`."""
        return tuple(self._rulings[said:])

    def empty(self) -> tuple[tuple[Fact, ...], tuple[Ruling, ...], tuple[Request, ...]]:
        said = (tuple(self._facts), tuple(self._rulings), tuple(self._requests))
        self._facts, self._rulings, self._requests = [], [], []
        return said

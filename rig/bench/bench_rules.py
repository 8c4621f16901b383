"""How fast and how small the rules are, and a million random events: figures for a note, printed, not asserted except for what must hold.

Speed is compared with python-chess in the same run: random playouts, listing the legal moves and playing one, per second.
"""

from __future__ import annotations

import argparse
import random
import time
import tracemalloc

import chess

from rig.bench.random_games import any_game, play_on, text_round_trip, worked_out_anew
from rig.bench.results import Results, add_json, measured
from rig.rules import AllPlaced, Game

ROUNDS = 5
TURNS_A_ROUND = 8
SECONDS_A_TURN = 0.25
"""The two libraries take short turns, so that what else the machine does meets both alike."""
NAMES = ("Anna", "Ben", "Cleo", "Dan")


def villa_events_per_s(seconds: float, seed: int) -> float:
    """Random legal games of two, three and four players in turn: `legal_actions` and `apply`."""
    chooser, events, began, games = random.Random(seed), 0, time.perf_counter(), 0
    while (spent := time.perf_counter() - began) < seconds:
        game = Game.new(players=NAMES[: 2 + games % 3]).apply(AllPlaced())
        games += 1
        while actions := game.legal_actions():
            game = game.apply(chooser.choice(actions))
            events += 1
    return events / spent


def chess_moves_per_s(seconds: float, seed: int) -> float:
    """Random games of chess: `legal_moves` and `push`."""
    chooser, moves, began = random.Random(seed), 0, time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        board = chess.Board()
        while legal := list(board.legal_moves):
            board.push(chooser.choice(legal))
            moves += 1
            if moves % 256 == 0 and time.perf_counter() - began > seconds:
                break
    return moves / spent


def game_of(events: int) -> list[Game]:
    """Every state of one random four-player game of `events` events."""
    for seed in range(10_000):
        chooser = random.Random(seed)
        states = [Game.new(players=NAMES), Game.new(players=NAMES).apply(AllPlaced())]
        while len(states) <= events and (actions := states[-1].legal_actions()):
            states.append(states[-1].apply(chooser.choice(actions)))
        if len(states) > events:
            return states
    raise AssertionError("no random game is that long")


def memory_bytes(events: int) -> tuple[int, int]:
    """What the last state of such a game holds, and what all its states together hold."""
    game_of(events)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    states = game_of(events)
    everything = tracemalloc.get_traced_memory()[0] - before
    del states[:-1]
    last = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return last, everything


def many_events(seed: int, wanted: int) -> tuple[int, int, float]:
    """Random events, a quarter of them wild, across all variants and switches, each held to what must hold; records and corrections too."""
    chooser, events, games, began = random.Random(seed), 0, 0, time.perf_counter()
    while events < wanted:
        game = play_on(any_game(chooser.choice), 100, chooser.choice)
        events += len(game.log)
        games += 1
        if games % 10 == 0:
            text_round_trip(game)
            worked_out_anew(game)
    return events, games, time.perf_counter() - began


def speed(results: Results) -> None:
    """Random playouts beside python-chess, in the same rounds."""
    ratios, rates = [], []
    for seed in range(ROUNDS):
        turns = [(villa_events_per_s(SECONDS_A_TURN, turn), chess_moves_per_s(SECONDS_A_TURN, turn)) for turn in range(TURNS_A_ROUND)]
        villa, moves = (sum(figures) / TURNS_A_ROUND for figures in zip(*turns, strict=True))
        ratios.append(villa / moves)
        rates.append(villa)
        print(f"round {seed + 1}: {villa:8.0f} events/s, python-chess {moves:8.0f} moves/s, ratio {villa / moves:.2f}")
    results.median("random events a second, a round", rates, "events/s")
    results.median("events a second, beside python-chess's moves a second in the same round", ratios, "times")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=1_000_000, help="random events that are held to what must hold")
    add_json(parser, "rules")
    options = parser.parse_args()
    with measured(options.json, "0 to 7; 2026", __doc__) as results:
        speed(results)
        last, everything = memory_bytes(60)
        results.number("a 60-event game with its history", last / 1e3, "kB", 1)
        results.number("the same with all 61 states kept", everything / 1e3, "kB", 1)
        events, games, spent = many_events(2026, options.events)
        print(f"{events} random events in {games} games ({spent:.0f} s)")
        results.share("random events after which everything held that must hold", events, events)


if __name__ == "__main__":
    main()

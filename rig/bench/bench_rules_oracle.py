"""A million random events, right and wrong, told to the engine and to an independent telling of the rules: how many agree.

A game of at most 80 events for each seed, any set, any number of players and any switches. It stops at the first difference, and then no
figure is written.
"""

from __future__ import annotations

import argparse
import random
import time

from rig.bench.against_oracle import play_both
from rig.bench.results import add_json, measured

EVENTS, FIRST_SEED, EVENTS_A_GAME = 1_000_000, 7_000_000, 80


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS, help="at least so many events")
    parser.add_argument("--first", type=int, default=FIRST_SEED, help="first seed")
    add_json(parser, "rules_oracle")
    options = parser.parse_args()
    with measured(options.json, f"from {options.first} on, one a game", __doc__) as results:
        told, games, began = 0, 0, time.process_time()
        while told < options.events:
            told += play_both(EVENTS_A_GAME, random.Random(options.first + games).choice)
            games += 1
            if games % 1000 == 0:
                print(f"{told} events in {games} games agree", flush=True)
        print(f"seeds {options.first} to {options.first + games - 1}; {time.process_time() - began:.0f} s")
        results.share("random events on which the engine and the naive telling agree", told, told)
        results.number("games of them", games, "games", games)


if __name__ == "__main__":
    main()

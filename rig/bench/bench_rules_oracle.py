"""A million random events, right and wrong, told to the engine and to an independent telling of the rules: how many agree.

`python rig/bench/bench_rules_oracle.py [EVENTS] [FIRST_SEED]`: a game of at most 80 events for each seed, any set, any number of players
and any switches; it stops at the first difference.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from rig.bench.against_oracle import play_both

EVENTS, FIRST_SEED, EVENTS_A_GAME = 1_000_000, 7_000_000, 80


def main() -> None:
    events = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    first = int(sys.argv[2]) if len(sys.argv) > 2 else FIRST_SEED
    told, games, began = 0, 0, time.process_time()
    while told < events:
        told += play_both(EVENTS_A_GAME, random.Random(first + games).choice)
        games += 1
        if games % 1000 == 0:
            print(f"{told} events in {games} games agree", flush=True)
    print(f"{told} events in {games} games (seeds {first} to {first + games - 1}) agree; {time.process_time() - began:.0f} s")


if __name__ == "__main__":
    main()

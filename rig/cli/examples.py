"""An example line for every command, shown at the end of its help. A test holds every line to the command line it is an example of."""

from __future__ import annotations

import argparse

EXAMPLES: dict[str, str] = {
    "start": "paletti start --record evening.mcap",
    "demo": "paletti demo --seed 7 --record game.mcap",
    "run": "paletti run --record evening.mcap",
    "replay": "paletti replay evening.mcap --rulings again.jsonl",
    "exam": "paletti exam --games 2 --seed 8011 --level lab",
    "judge": "paletti judge game.villa",
    "calibrate": "paletti calibrate print --paper letter",
    "calibrate print": "paletti calibrate print frame --paper letter --out sheets",
    "calibrate camera": "paletti calibrate camera --board charuco:7x5:32mm:23mm:DICT_5X5_100 --live 0 --camera 1",
    "calibrate scale": "paletti calibrate scale --mass 1000 --profile profile.json",
    "calibrate colours": "paletti calibrate colours --live 0 2 --profile profile.json",
    "calibrate pieces": "paletti calibrate pieces --live 0 2 --base /dev/ttyUSB0 --profile profile.json",
    "calibrate check": "paletti calibrate check --live 0 2 --profile profile.json --overlay ghost.png",
    "look": "paletti look --images front.png side.png --profile profile.json --overlay seen.png",
    "doctor": "paletti doctor --base /dev/ttyUSB0 --seconds 20",
    "firmware": "paletti firmware build",
    "firmware build": "paletti firmware build",
    "firmware flash": "paletti firmware flash --board nano",
    "firmware simulate": "paletti firmware simulate --grams 600",
}
"""By command, with its procedure where it has any."""


def give_examples(parser: argparse.ArgumentParser, name: str) -> None:
    """Puts the example of the command `name` at the end of its help, and those of its procedures at the end of theirs."""
    example = f"Example: {EXAMPLES[name]}"
    parser.epilog = f"{parser.epilog}  {example}" if parser.epilog and example not in parser.epilog else example
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for procedure, child in action.choices.items():
                give_examples(child, f"{name} {procedure}")

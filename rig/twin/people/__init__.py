"""The people at the table: what they want, do, fumble and say. `Bots` is all of them; the rest is in the files beside.

They know the tower as the truth log has it and the game as `rig.rules` makes it of those truths; what they intend stays in here.
"""

from rig.twin.people.bots import Bots
from rig.twin.people.persons import Person, draw_people

__all__ = ["Bots", "Person", "draw_people"]

"""From steps, calls, ticks and looked answers to facts and rulings: the referee itself, a pure object."""

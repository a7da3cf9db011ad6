"""Result forms as data: the ways a match can end, the walk through their questions, and the way back to answers."""

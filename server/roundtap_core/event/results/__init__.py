"""Results of an event in play: reports, what officials enter, and who did not appear."""

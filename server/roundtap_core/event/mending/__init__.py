"""Mending a round that is drawn or published: seats exchanged, tables moved, who waits paired, the round taken back."""

"""`roundtap doctor`: the health of any machine of the kit."""

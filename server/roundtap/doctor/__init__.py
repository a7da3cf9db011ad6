"""`roundtap doctor`: what a machine of the kit says of itself, whatever it is."""

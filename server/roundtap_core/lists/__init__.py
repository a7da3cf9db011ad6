"""Players' lists: what a form asks, the parts checks are made of, and the squads a list is split into."""

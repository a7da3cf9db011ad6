"""Who may what: the staff and their PINs, sessions, personal links, certificates, and the guard of every page."""

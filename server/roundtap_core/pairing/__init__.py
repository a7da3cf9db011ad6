"""Swiss pairing: the criterion of pairing.md, line by line, and which match sits at which table."""

"""Print jobs: what has to be printed, what stands on it, what became of it, and the station's address."""

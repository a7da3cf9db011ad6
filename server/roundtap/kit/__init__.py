"""A virtual kit on this machine: as real processes, or in one process on a virtual clock."""

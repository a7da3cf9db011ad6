"""A unit's way to its hub: the outbox on its disk, the signed link, the hub's clock."""

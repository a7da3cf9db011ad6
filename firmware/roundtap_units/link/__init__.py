"""A unit's link to its hub: the outbox on its disk, the signed connection, the hub's clock."""

"""What runs on a Pi at its post: the table unit, its dialogue, outbox and link to the hub."""

"""How a new unit gets its key: it shows six digits, an organizer types them, and both sides work out the same key."""

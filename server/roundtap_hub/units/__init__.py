"""Units: their API and feed, keys, enrolment, and what the hub knows of them right now."""

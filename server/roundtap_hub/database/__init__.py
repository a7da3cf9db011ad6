"""A journal on PostgreSQL that several hubs share."""

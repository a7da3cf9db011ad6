"""The print station."""

"""What a service says to systemd. Imports nobody of the house, and nothing beyond the standard library."""

"""What is kept: the journal on disk, the service that writes it, the hub's clocks, the venue stream."""

"""A second machine that also holds the journal and takes over when told to; hubs of one lineage."""

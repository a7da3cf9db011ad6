"""A second machine that holds the journal too and takes the hub's place when somebody says so; hubs of one lineage."""

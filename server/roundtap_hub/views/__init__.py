"""What pages share of one event: names, tables in play, presence, clocks, schedule."""

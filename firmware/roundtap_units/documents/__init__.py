"""What goes on paper: slips and their boxes, pairings and standings to hang up."""

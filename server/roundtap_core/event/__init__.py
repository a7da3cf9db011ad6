"""One event as a fold of its entries: `commands.decide` refuses, `commands.apply` never does."""

"""One event as a fold of its entries: `decide` refuses, `apply` never does."""

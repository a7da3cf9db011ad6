"""One event as a fold of its entries: `decide.decide` refuses, `decide.apply` never does."""

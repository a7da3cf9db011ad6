"""People: the registration desk, sign-up, lists, imports, and the search."""

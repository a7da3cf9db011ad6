"""People: the registration desk, sign-up, lists, imports, and finding somebody."""

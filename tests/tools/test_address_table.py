"""MESSAGES.md has every address outside the console as it is declared, and no other."""

from address_table import DOCUMENT, table, written


def test_the_table_of_addresses_is_made_from_the_routes() -> None:
    """Written anew by `python tests/tools/address_table.py`."""
    assert written(DOCUMENT.read_text(encoding="utf-8")) == table()

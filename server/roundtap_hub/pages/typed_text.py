"""What was typed into a form, looked through before anything is made of it: no control characters, no turned lines."""

from __future__ import annotations

from flask import request

from roundtap_core.errors import Invalid
from roundtap_core.limits import fits_prose

ID_LETTERS_MAX = 64
CLEANED = frozenset({"console.save_list", "me.save_list", "console.import_table"})
"""Forms into which people paste whole lists or tables from elsewhere: what cannot be seen is taken out there
(views/lists.py, people_import/raw_table.py)."""


def refuse_unfit_fields() -> None:
    """Raise Problem("unfit_text") for a field of this request's form, or a part of its address, that could disturb what
    stands beside it wherever it is shown."""
    for name, text in request.form.items(multi=True) if request.endpoint not in CLEANED else ():
        if not (fits_prose(text) and fits_prose(name)):
            raise Invalid("unfit_text", where="/" + "".join(c for c in name if c.isprintable())[:ID_LETTERS_MAX])
    for name, part in (request.view_args or {}).items():
        if isinstance(part, str) and not fits_prose(part):
            raise Invalid("unfit_text", where=f"/{name}")

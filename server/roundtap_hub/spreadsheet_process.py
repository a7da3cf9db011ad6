"""The process that reads one spreadsheet from stdin and prints its rows as JSON; a hostile file may crash it."""

import io
import json
import os
import resource
import sys
from typing import Any

MEMORY_BYTES = 768 * 1024 * 1024
"""Of address space, not of pages in use: a cell in an empty sheet's last row allocates all rows before it."""
CPU_S = 15


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(5)
    rows, columns = int(sys.argv[1]), int(sys.argv[2])
    json.dump(_read(sys.stdin.buffer.read(), rows, columns), sys.stdout)


def _read(raw: bytes, rows: int, columns: int) -> dict[str, Any]:
    import python_calamine as calamine

    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(raw))
        for name in book.sheet_names:
            sheet = book.get_sheet_by_name(name)
            found = sheet.to_python(skip_empty_area=True, nrows=rows + 1)
            if any(cell not in ("", None) for row in found for cell in row):
                return {"rows": [[_plain(cell) for cell in row[: columns + 1]] for row in found]}
    except calamine.PasswordError:
        return {"problem": "sheet_locked"}
    except (calamine.CalamineError, ValueError, OSError, KeyError, IndexError):
        return {"problem": "sheet_damaged"}
    return {"problem": "table_empty"}


def _plain(cell: Any) -> Any:
    return cell if isinstance(cell, str | int | float | bool) or cell is None else str(cell)


if __name__ == "__main__":
    main()

"""The size of product and tests: what counts as a statement, and what as a test."""

from size import rows, statements

FILES = {
    "server/hub.py": '"""A hub."""\nif True:\n    port = (\n        80\n    )\n',
    "server/page.html": "<p>\n",
    "tests/hub/test_hub.py": "import hub\n",
    "tests/tools/size.py": "pass\npass\n",
}


def test_every_statement_counts_once_however_its_lines_are_broken() -> None:
    broken, whole = "def port():\n    return (\n        80\n    )\n", "def port(): return 80\n"
    assert statements(broken) == statements(whole) == 2


def test_product_and_tests_have_a_row_each_and_only_python_counts() -> None:
    product, tests = rows("here", list(FILES), FILES.__getitem__)
    assert product.split() == ["here", "product", "3", "statements", "5", "lines", "1", "files"]
    assert tests.split() == ["here", "tests", "3", "statements", "3", "lines", "2", "files"]

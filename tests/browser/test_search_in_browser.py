"""The search in the head of a list, with scripts and without: both find what the core's own search finds."""

import itertools
import random
from urllib.parse import quote

import pytest
from hall_kit import Hall
from hand_kit import Hand
from pages_kit import PIN, text_of
from screen_kit import Screen

from roundtap_core.names import find, search_text

PEOPLE = [
    "Sean O'Brien",
    "Jörg Müller",
    "Hans Strauß",
    "Novak Đoković",
    "İlkay Işık",
    "Anna Müller-Lüdenscheidt",
    "Ana Ruiz",
]
QUERIES = {
    "obrien": "Sean", "o’brien sean": "Sean", "O Brien": "Sean", "mueller joerg": "Jörg", "JORG": "Jörg",
    "strauss": "Hans", "djokovic": "Novak", "isik": "İlkay", "müller lüdenscheidt": "Anna", "ruiz, ana": "Ana",
    "Ｒｕｉｚ": "Ana",
}  # fmt: skip
LETTERS = (
    "aaaeeeiioouusstthhddjjnnllkr äöüßæœøåłđðþıİşğçñőűéèêąęßſﬁ'’‘ʼ`´-‐ .·,()１２Ａｂ12"
    "ơưữạΣςσЙёґ王小김민がガأىی\u0301\u0308\u200d\u200f"
)
RUN = """
const [texts, queries] = arguments, list = document.getElementById("people"), field = document.getElementById("find");
list.replaceChildren(...texts.map((text) => {
    const row = document.createElement("li");
    row.dataset.text = text;
    return row;
}));
return queries.map((query) => {
    field.value = query;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    return [...list.children].flatMap((row, at) => row.hidden ? [] : [at]);
});
"""


@pytest.mark.parametrize("count", [500, pytest.param(4000, marks=pytest.mark.long)])
def test_the_page_finds_what_the_hub_finds_in_thousands_of_names(
    hall: Hall, screen: Screen, chance: random.Random, count: int
) -> None:
    def word() -> str:
        return "".join(chance.choice(LETTERS) for _ in range(chance.randint(1, 8)))

    names = [*PEOPLE, *(f"{word()} {word()}{chance.choice(['', '', '.'])}" for _ in range(count))]
    texts = [search_text(name, shortened=True) for name in names]
    queries = [*QUERIES, "", *(name[: chance.randint(1, 12)] for name in names[::10]), *(word() for _ in range(100))]
    screen.open(f"{hall.url}/e/{hall.create('Winter Open', people=PEOPLE)}")
    found = screen.run(RUN, texts, queries)
    for query, shown in zip(queries, found, strict=True):
        assert shown == find(query, range(len(names)), texts.__getitem__), query


def shown(screen: Screen, rows: str, query: str = "") -> list[str]:
    """The texts of those that are to be seen, once this is typed; a list that is being replaced is read again."""
    if query:
        screen.one("#find").clear()
        screen.one("#find").send_keys(query)
    texts: list[str] = screen.until(
        lambda: screen.run(
            "return [...document.querySelectorAll(arguments[0])].filter((one) => one.getClientRects().length)"
            ".map((one) => one.innerText)",
            rows,
        ),
        "something to be found",
    )
    return texts


@pytest.mark.parametrize(
    "full_names", [pytest.param("1", marks=pytest.mark.long), ""], ids=["full names", "short names"]
)
def test_every_list_finds_a_player_with_scripts_and_without(hall: Hall, screen: Screen, full_names: str) -> None:
    event = hall.create("Winter Open", people=PEOPLE, full_names=full_names)
    hall.publish(event)
    hall.play(event)
    lists = {
        f"/e/{event}": "#people li a",
        f"/e/{event}/pairings": "#pairs .who a",
        f"/e/{event}/standings": ".ranked th",
    }
    for (path, rows), (query, given) in itertools.product(lists.items(), QUERIES.items()):
        if screen.driver.current_url != hall.url + path:
            screen.open(hall.url + path)
        with_scripts = shown(screen, rows, query)
        assert any(name.startswith(given) for name in with_scripts), (path, query)
        page = hall.house.browser().get(f"{path}?q={quote(query)}")
        assert all(name in text_of(page) for name in with_scripts), (path, query)
        assert page.text.count("data-text=") == len(screen.all(f"{rows.split()[0]} [data-text]:not([hidden])")), (
            path,
            query,
        )
    screen.cdp("Emulation.setScriptExecutionDisabled", {"value": True})
    for path, rows in lists.items():
        screen.open(hall.url + path)
        screen.one("#find").send_keys("mueller joerg")
        screen.click("form.find button")
        screen.until(lambda: "q=mueller" in screen.driver.current_url, "what was found")
        assert any(name.startswith("Jörg") for name in shown(screen, rows))
        assert len(screen.all("[data-text]")) < 3
        assert screen.one("#find").get_attribute("value") == "mueller joerg"


def test_pairings_are_found_by_table_and_the_console_s_lists_by_all_they_hold(hall: Hall, screen: Screen) -> None:
    event = hall.create("Winter Open", people=PEOPLE)
    hall.publish(event)
    screen.open(f"{hall.url}/e/{event}/pairings")
    live = hall.event(event).live
    assert live
    table = live.matches[1].match.table
    assert [row.split()[0] for row in shown(screen, "#pairs li", f"#{table}")] == [f"{table}"]
    assert hall.house.browser().get(f"/e/{event}/pairings?q=%23{table}").text.count("data-text=") == 1
    Hand(screen, hall).look().log_in(hall.url, PIN)
    screen.open(f"{hall.url}/console/{event}/players")
    for query, given in QUERIES.items():
        names = shown(screen, "#roster summary b", query)
        assert [name for name in names if name.startswith(given)], query
        assert len(names) <= 2, (query, names)
        assert given in text_of(hall.house.organizer().get(f"/console/{event}/find?q={quote(query)}")), query

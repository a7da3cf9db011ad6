"""Names of made-up players, long Polish ones among them, and their teams, for demonstrations."""

import itertools

from roundtap_core.event.entries import Person

FIRST_NAMES = (
    "Ana",
    "Bruno",
    "Łukasz",
    "Eva",
    "Kai",
    "Aleksandra",
    "Jörg",
    "Begoña",
    "Zofia",
    "Íñigo",
    "Käthe",
    "Stanisław",
    "Lucía",
    "Grzegorz",
    "Renée",
    "Małgorzata",
    "Tomás",
    "Heike",
    "Paweł",
    "Inés",
)
LAST_NAMES = (
    "Ruiz",
    "Maier",
    "Żak",
    "Luz",
    "Eich",
    "Wiśniewska-Szczepańska",
    "Müller",
    "Ibáñez",
    "Kowalczyk",
    "Núñez",
    "Groß",
    "Wójcik",
    "Peña",
    "Szymański",
    "Voß",
    "Dąbrowska",
    "Ortega",
    "Schäfer",
    "Łęcki",
    "Vidal",
    "Roth",
    "Sánchez",
    "Jabłońska",
    "Winkler",
    "Castaño",
    "Mazur",
)


def player_names(n: int) -> list[str]:
    """`n` different full names, whose neighbours differ in both parts."""
    pairs = itertools.chain.from_iterable(
        zip(FIRST_NAMES, LAST_NAMES[shift:] + LAST_NAMES[:shift], strict=False) for shift in range(len(LAST_NAMES))
    )
    return [f"{first} {last}" for first, last in itertools.islice(pairs, n)]


def made_up_people(n: int, team_size: int) -> list[Person]:
    names = player_names(n * team_size)
    if team_size == 1:
        return list(map(Person, names))
    teams = (tuple(names[first : first + team_size]) for first in range(0, len(names), team_size))
    return [Person(" & ".join(name.split()[-1] for name in team), members=team, captain=team[0]) for team in teams]

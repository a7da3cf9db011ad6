"""Screens of a table that plays a store's own game: one of each kind of report, with labels as long as they may be."""

from gallery.played_table import Play, Shots
from own_games.shelf import rules_of
from roundtap_core.rulebooks.base import MatchSituation, Rulebook
from roundtap_core.rulebooks.own import own_rulebook
from roundtap_core.rulebooks.own_rules import rules_json


def game(text: str) -> Rulebook:
    return own_rulebook(rules_json(rules_of('format = "roundtap-rules/1"\n' + text)))


def label(*texts: str, most: int = 24) -> str:
    """A text in every language, each as long as it may be."""
    languages = zip(("en", "es", "de", "pl"), texts, strict=True)
    return "{ " + ", ".join(f'{language} = "{text[:most].ljust(most, ".")}"' for language, text in languages) + " }"


LABELS = (
    label("Objectives held on board", "Objetivos en el tablero", "Missionsziele am Tisch", "Punkty misji na planszy"),
    label("Destroyed army points", "Puntos destruidos", "Zerstörte Armeepunkte", "Zniszczone punkty armii"),
)
SIDES = (
    '[{ en = "White", es = "Blancas", de = "Weiß", pl = "Białe" }, '
    '{ en = "Black", es = "Negras", de = "Schwarz", pl = "Czarne" }]'
)
LONG_SIDES = (
    "["
    + ", ".join(
        (
            label(
                "Corporation, plays first", "La corporación, empieza", "Konzern, fängt hier an", "Korporacja, zaczyna"
            ),
            label("Runner, plays second", "El corredor, segundo", "Runner, spielt danach", "Biegacz, gra drugi"),
        )
    )
    + "]"
)
ASKS = label(
    "Who has more life points at the end now?",
    "¿Quién tiene más puntos de vida ahora?",
    "Wer hat am Ende mehr Lebenspunkte?",
    "Kto ma na koniec więcej punktów życia?",
    most=40,
)

WINNER = f"""name = "Board game"
match = {{ report = "winner", draws = "any_time" }}
points = {{ win = 2, draw = 1, unit = "half" }}
sides = {{ names = {SIDES} }}"""
LONG_SIDED = WINNER.replace(SIDES, LONG_SIDES)
GAMES = f"""name = "Best of three"
match = {{ report = "games", best_of = 3, drawn_games = true }}
points = {{ win = 3, draw = 1 }}
time = {{ swiss = 50, undecided = "ask", knockout_asks = {ASKS} }}"""
FIVE = """name = "Best of five"
match = { report = "games", best_of = 5, draws = "never" }
points = { win = 3 }"""
POINTS = f"""name = "Points"
match = {{ report = "points", figure = [{{ key = "score", label = {LABELS[0]}, maximum = 400 }}] }}
points = {{ win = 0, table = [{{ of = "score", steps = [[0, 10, 10], [20, 11, 9], [200, 20, 0]] }}] }}
time = {{ swiss = 150, knockout_asks = {ASKS} }}"""
TWO = f"""name = "Two figures"
match.report = "points"
points = {{ win = 3, draw = 1 }}
[[match.figure]]
key = "score"
label = {LABELS[0]}
maximum = 20
[[match.figure]]
key = "second"
label = {LABELS[1]}
maximum = 400
"""

PLAYED = (
    ("winner", WINNER, ("", "idle"), ("a", "won"), ("b", "saved")),
    ("sides", LONG_SIDED, ("", "idle"), ("V", "endings"), ("va", "agreed"), ("a", "ask")),
    ("games", GAMES, ("a", "game"), ("b", "noted"), ("a", "drawn"), ("vva", "confirm"), ("a", "ask")),
    ("five", FIVE, ("a", "game"), ("b", "noted"), ("abab", "fourth"), ("a", "ask")),
    ("points", POINTS, ("V", "endings"), ("ba", "back"), ("a^^^a^^^^a^a", "told")),
    ("two", TWO, ("V", "endings"), ("a", "score"), ("^a^^^aaa", "second"), ("^^^^a^^^a^a", "told"), ("aaaa", "ask")),
)
AT_TIME = (
    ("games", GAMES, ("a", "score"), ("aa", "drawn"), ("va", "tie"), ("b", "confirm"), ("a", "ask")),
    ("points", POINTS, ("a", "score"), ("a", "score-b"), ("a", "ask")),
    ("two", TWO, ("a", "score"), ("aa", "second"), ("aa", "ask")),
)


def own_games(language: str, facing: str, names: tuple[str, str]) -> Shots:
    for times, plays in (("", PLAYED), ("-time", AT_TIME)):
        for name, text, *stops in plays:
            play = Play(language, facing, names, game(text))
            play.view(clock="idle")
            play.tap("ab")
            play.view()
            clock_ms = -5000 if times else None
            play.shot(clock_ms)
            for stop, scene in play.walk(*stops, clock_ms=clock_ms):
                yield f"own-{name}{times}-{stop}", scene
    play = Play(language, facing, names, game(POINTS), MatchSituation("elimination"))
    play.view(clock="idle")
    play.tap("ab")
    play.view()
    play.shot(-5000)
    for stop, scene in play.walk(("a", "score"), ("aa", "tie"), ("b", "confirm"), ("a", "ask"), clock_ms=-5000):
        yield f"own-knockout-{stop}", scene

"""What each rule id means, in both languages: what code, tests and rulings cite.

The numbering is the project's own. "(decided)" marks what the game's texts leave open; the README says how it is decided, and `house.py`
has the switches.
"""

from __future__ import annotations

from typing import NamedTuple


class RuleText(NamedTuple):
    """A rule in a sentence."""

    english: str
    german: str


_SET = {
    "P1": (
        "The base has a building site and an outer ring that stays empty; which is which is geometry, not colour.",
        "Das Fundament hat einen Bauplatz und einen äußeren Ring, der frei bleibt; das sagt die Geometrie, nicht die Farbe.",
    ),
    "P2": (
        "Five plateaus in a fixed order from the bottom: blue, green, yellow, orange, red.",
        "Fünf Plateaus in fester Reihenfolge von unten: Blau, Grün, Gelb, Orange, Rot.",
    ),
    "P3": (
        "Twenty columns, five of each player colour; how many of which shape is data of the set.",
        "Zwanzig Säulen, fünf von jeder Spielerfarbe; wie viele von welcher Form, hängt vom Satz ab.",
    ),
    "P4": ("Thick columns score 3, hexagonal 2, thin 1.", "Dicke Säulen zählen 3, sechseckige 2, dünne 1."),
    "P5": (
        "The seal lies before its holder and shows the previous holder's colour; the first holder's shows the own (decided).",
        "Das Siegel liegt vor seinem Besitzer und zeigt die Farbe des vorigen; beim ersten die eigene (festgelegt).",
    ),
    "P6": ("The hook is a tool, not a piece.", "Das Häkchen ist Werkzeug, kein Bauteil."),
    "P7": (
        "That plateaus share colours with columns means nothing in the rules.",
        "Dass Plateaus die Farben von Säulen haben, bedeutet in den Regeln nichts.",
    ),
    "U1": (
        "All columns are set up on the building site, whatever the number of players.",
        "Alle Säulen stehen zu Beginn auf dem Bauplatz, wie viele auch mitspielen.",
    ),
    "U2": (
        "The blue plateau follows; it stays within the base and covers at least three columns (decided).",
        "Darauf kommt das blaue Plateau; es ragt nicht über das Fundament und bedeckt mindestens drei Säulen (festgelegt).",
    ),
    "U3": (
        "Then colours are drawn with the seal; three ways, by switch. Nothing is built before.",
        "Dann werden mit dem Siegel die Farben verteilt; drei Arten, je nach Hausregel. Vorher wird nicht gebaut.",
    ),
    "U4": ("Turns go clockwise.", "Gespielt wird im Uhrzeigersinn."),
}

_BUILDING = {
    "B1": (
        "In turn, one raises one own column from a lower floor to the tallest.",
        "Wer am Zug ist, hebt eine eigene Säule aus einem unteren Stockwerk auf das oberste.",
    ),
    "B2": ("A column on the tallest floor is not used.", "Eine Säule auf dem obersten Stockwerk wird nicht verwendet."),
    "B3": (
        "One column an attempt, and no other is moved; by switch, another own one after an abort.",
        "Je Versuch eine Säule, keine andere wird bewegt; nach Hausregel nach einem Abbruch eine weitere eigene.",
    ),
    "B4": (
        "The duty begins when a column has moved; by switch, when it is touched.",
        "Verpflichtend wird es, wenn eine Säule sich bewegt hat; nach Hausregel, wenn sie berührt ist.",
    ),
    "B5": (
        "Plateaus may be lifted while a column comes out, and come back exactly.",
        "Plateaus dürfen beim Herausziehen angehoben werden und kommen genau an ihren Platz zurück.",
    ),
    "B6": ("No plateau is held while the column is set down.", "Beim Absetzen der Säule wird kein Plateau festgehalten."),
    "B7": ("A foot stands wholly on its plateau.", "Der Fuß einer Säule steht ganz auf seinem Plateau."),
    "B8": (
        "No column on a column, except on red, or by switch on the uppermost plateau; one that carries is no penalty (decided).",
        "Keine Säule auf einer Säule, außer auf Rot, nach Hausregel ganz oben; eine tragende ist keine Strafe (festgelegt).",
    ),
    "B9": (
        "A raise is complete when the column stands by itself (decided).",
        "Gehoben ist eine Säule, wenn sie von allein steht (festgelegt).",
    ),
    "B10": (
        "Breaking off puts the column back and locks it for good; it stands, carries and, unless by switch, can be a penalty (decided).",
        "Ein Abbruch stellt die Säule zurück und sperrt sie; sie steht, trägt und kann Strafe sein, außer nach Hausregel (festgelegt).",
    ),
    "B11": ("An abort ends the turn; no request after it.", "Ein Abbruch beendet den Zug; danach wird kein Plateau verlangt."),
    "B12": ("Wobbling is never a collapse.", "Wackeln ist nie ein Einsturz."),
    "B13": (
        "A broken rule is listed once, stands and ends the turn, unless the table rules otherwise; events keep their doer (decided).",
        "Ein Regelverstoß wird vermerkt, gilt und beendet den Zug, wenn der Tisch nichts anderes sagt; wer etwas tat, bleibt (festgelegt).",
    ),
    "B14": (
        "A turn in which nothing more may be tried ends by itself (decided).",
        "Ein Zug, in dem nichts mehr versucht werden darf, endet von allein (festgelegt).",
    ),
}

_PLATEAUS = {
    "A1": (
        "Instead of building one may request the next plateau; without an eligible column that is so by itself, unchallengeable (decided).",
        "Statt zu bauen, kann man das nächste Plateau verlangen; ohne verwendbare Säule gilt das von allein und unanfechtbar (festgelegt).",
    ),
    "A2": (
        "Unchallenged, the plateau is laid and the turn ends, without a raise.",
        "Zweifelt niemand, wird das Plateau gelegt, und der Zug endet, ohne dass eine Säule gehoben wird.",
    ),
    "A3": (
        "It covers, or by switch touches, at least three columns of the top floor; by switch, orange and red may rest on fewer.",
        "Es bedeckt, nach Hausregel berührt, mindestens drei Säulen ganz oben; nach Hausregel genügen Orange und Rot weniger.",
    ),
    "A4": (
        "It may protrude and cover columns in part, unless a switch forbids it.",
        "Es darf überstehen und Säulen zum Teil bedecken, wenn keine Hausregel es verbietet.",
    ),
    "A5": ("Columns are not shifted to make it fit.", "Säulen werden nicht verschoben, damit es passt."),
    "C1": (
        "The first opponent to speak challenges; one challenge a request, by switch more.",
        "Wer von den anderen zuerst spricht, zweifelt an; einmal je Verlangen, nach Hausregel öfter.",
    ),
    "C2": (
        "The challenger raises an eligible column of the claimant to the tallest floor; by switch, getting it out is enough.",
        "Wer anzweifelt, hebt eine verwendbare Säule des Verlangenden auf das oberste Stockwerk; nach Hausregel genügt das Herausziehen.",
    ),
    "C3": (
        "Success takes the column out of the game and ends the claimant's turn.",
        "Gelingt es, ist die Säule aus dem Spiel, und der Zug des Verlangenden ist vorbei.",
    ),
    "C4": (
        "Failure costs the challenger a column, then the plateau is laid; by switch, another player takes it, or the turn ends.",
        "Misslingt es, kostet das eine Säule, dann kommt das Plateau; nach Hausregel nimmt sie jemand anders, oder der Zug endet.",
    ),
    "C5": (
        "A collapse in a challenge is the challenger's (decided).",
        "Ein Einsturz beim Anzweifeln geht auf den Anzweifelnden (festgelegt).",
    ),
    "C6": (
        "A collapse in a removal is the remover's (decided).",
        "Ein Einsturz beim Herausnehmen geht auf den, der herausnimmt (festgelegt).",
    ),
    "C7": (
        "A call that nobody heard is implied by any deed that makes sense only after it (decided).",
        "Ein Ruf, den niemand gehört hat, folgt aus jeder Tat, die nur nach ihm einen Sinn hat (festgelegt).",
    ),
}

_END = {
    "S1": (
        "Nothing scores on blue; the first own column on green takes the seal.",
        "Auf Blau zählt nichts; die erste eigene Säule auf Grün holt das Siegel.",
    ),
    "S2": (
        "The score is the points of one's own columns on the tallest plateau.",
        "Es zählen die Punkte der eigenen Säulen auf dem obersten Plateau.",
    ),
    "S3": (
        "Exceeding the holder's score takes the seal; a tie does not.",
        "Wer den Besitzer übertrifft, bekommt das Siegel; Gleichstand genügt nicht.",
    ),
    "S4": (
        "A new plateau wipes scores; the first own column on it takes the seal, until then the old holder has it (decided).",
        "Ein neues Plateau löscht die Punkte; die erste eigene Säule darauf holt das Siegel, bis dahin bleibt es (festgelegt).",
    ),
    "S5": ("If that is the holder, nothing changes (decided).", "Ist das der Besitzer selbst, ändert sich nichts (festgelegt)."),
    "S6": (
        "A dropped score can pass the seal: to the highest, among equals to the oldest score (decided).",
        "Sinkt ein Punktestand, kann das Siegel wechseln: zum höchsten, bei Gleichstand zum ältesten Stand (festgelegt).",
    ),
    "E1": (
        "The game ends by a collapse, or when nobody can add a column or plateau, by switch a column.",
        "Das Spiel endet mit einem Einsturz oder wenn niemand mehr Säule oder Plateau anbauen kann, nach Hausregel keine Säule.",
    ),
    "E2": (
        "The holder wins; a holder who caused the collapse loses to the shown colour.",
        "Es gewinnt, wer das Siegel hat; wer es hat und den Einsturz verursacht, verliert an die gezeigte Farbe.",
    ),
    "E3": ("Toppling it does not lose by itself.", "Der Einsturz allein verliert das Spiel nicht."),
    "E4": (
        "Without a holder, or without a predecessor where one is needed, nobody wins; by switch all others.",
        "Ohne Besitzer, oder ohne Vorgänger, wo es ihn braucht, gewinnt niemand; nach Hausregel alle anderen.",
    ),
    "E5": (
        "Nobody can add: every player in a row has ended a turn with nothing built, by declaration (decided).",
        "Niemand kann anbauen: Alle haben der Reihe nach einen Zug erklärtermaßen ohne Bau beendet (festgelegt).",
    ),
    "E6": ("No free pass, except by switch.", "Aussetzen gibt es nur nach Hausregel."),
    "E7": (
        "A plateau that loses its place is a collapse; fallen columns alone are an incident, unless a switch says otherwise.",
        "Verliert ein Plateau seinen Platz, ist das ein Einsturz; fallen nur Säulen, ein Zwischenfall, wenn keine Hausregel anderes sagt.",
    ),
    "E8": (
        "The culprit is whose action is in progress, else who acted last; about outside events the table decides (decided).",
        "Schuld hat, wer gerade handelt, sonst wer zuletzt gehandelt hat; über Ereignisse von außen entscheidet der Tisch (festgelegt).",
    ),
    "D1": ("Two players have two colours each and sum both.", "Zu zweit hat jeder zwei Farben und zählt beide zusammen."),
    "T1": (
        "Three players: a neutral column comes before an own one; no request after it (decided).",
        "Zu dritt kommt eine neutrale Säule vor der eigenen; danach wird kein Plateau verlangt (festgelegt).",
    ),
    "T2": (
        "The last neutral on a floor stays; locked ones count (decided).",
        "Die letzte neutrale Säule eines Stockwerks bleibt stehen; gesperrte zählen mit (festgelegt).",
    ),
    "T3": (
        "A neutral may be abandoned, unless another player shows that a different one can be raised.",
        "Eine neutrale darf man aufgeben, wenn nicht jemand zeigt, dass eine andere gehoben werden kann.",
    ),
    "T4": ("Neutrals score nothing and never move the seal.", "Neutrale zählen nichts und bewegen das Siegel nie."),
    "T5": ("A request needs no neutral first (decided).", "Ein Plateau kann man ohne neutrale Säule zuvor verlangen (festgelegt)."),
}

RULES: dict[str, RuleText] = {rule: RuleText(*texts) for part in (_SET, _BUILDING, _PLATEAUS, _END) for rule, texts in part.items()}
"""Every rule id with its meaning."""

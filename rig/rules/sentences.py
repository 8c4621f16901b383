"""The table of sentences, English and German side by side; `telling.py` fills them in.

In braces: `{who}` is the player the ruling is about, `{rules}` the rule ids, everything else a datum of the ruling; after a colon the
German case (`{column:dat}`), or `cap` for a capital letter. In brackets: the word for one and for several, `[raises|raise]` by how many
`{who}` are, `[column|columns:covers]` by the datum named.
"""

from __future__ import annotations

from dataclasses import dataclass

from rig.rules.rulings import Reason, RulingKind, Why

Pair = tuple[str, str]
"""English, German."""


@dataclass(frozen=True, slots=True)
class Either:
    """Two sentences: one if the datum `key` is given, one if it is missing or empty. `who` as key: whether the ruling is about a player."""

    key: str
    given: Pair
    missing: Pair


@dataclass(frozen=True, slots=True)
class Cases:
    """A sentence for each value of the datum `key`."""

    key: str
    sentences: dict[str, Pair]


_FELL = ("Columns fell, every plateau keeps its place: ", "Säulen sind gefallen, jedes Plateau liegt noch: ")


def _fell(english: str, german: str) -> Pair:
    return (_FELL[0] + english, _FELL[1] + german)


RULINGS: dict[RulingKind, Pair | Either | Cases] = {
    RulingKind.PLACED: Either(
        "column",
        ("{column} stands on {floor}.", "{column} steht auf {floor:dat}."),
        ("All columns stand on {floor}.", "Alle Säulen stehen auf {floor:dat}."),
    ),
    RulingKind.SET_UP: ("The villa is set up; now colours are drawn.", "Die Villa steht; jetzt werden die Farben verteilt."),
    RulingKind.SET_UP_AGAIN: ("It fell before the first turn: set up again.", "Eingestürzt vor dem ersten Zug: neu aufbauen."),
    RulingKind.DREW: ("{who} [plays|play] {colours}.", "{who} [spielt|spielen] {colours}."),
    RulingKind.ROLL_AGAIN: ("{colour} is taken: {who} [rolls|roll] again.", "{colour} ist vergeben: {who} [würfelt|würfeln] noch einmal."),
    RulingKind.STARTS: ("{who} [starts|start].", "{who} [beginnt|beginnen]."),
    RulingKind.TURN: ("It is {who}'s turn.", "{who} [ist|sind] am Zug."),
    RulingKind.RAISED: ("{who} [raises|raise] {column} onto {floor}.", "{who} [hebt|heben] {column} auf {floor:acc}."),
    RulingKind.ABORTED: (
        "{who} [breaks|break] off; {column} is back in its place.",
        "{who} [bricht|brechen] ab; {column} steht wieder an ihrem Platz.",
    ),
    RulingKind.LOCKED: ("From now on {column} is locked.", "Ab jetzt ist {column} gesperrt."),
    RulingKind.TOUCHED: ("{who} touched {column}; nothing follows.", "{who} [hat|haben] {column} berührt; das bleibt ohne Folgen."),
    RulingKind.REQUESTED: ("{who} [requests|request] {plateau}.", "{who} [verlangt|verlangen] {plateau}."),
    RulingKind.FORCED: (
        "{who} [has|have] no column left to raise: {plateau} is to be laid.",
        "{who} [kann|können] keine Säule mehr heben: {plateau:cap} ist zu legen.",
    ),
    RulingKind.UNCHALLENGED: Either(
        "plateau",
        ("Nobody challenges {who}'s request for {plateau}.", "Niemand zweifelt {who} an; es geht um {plateau}."),
        ("Nobody challenges {who}.", "Niemand zweifelt {who} an."),
    ),
    RulingKind.CHALLENGED: ("{who} [challenges|challenge] {claimant}.", "{who} [zweifelt|zweifeln] {claimant} an."),
    RulingKind.CLAIM_REFUTED: (
        "{who} [has|have] shown it: {column} leaves the game, and {claimant}'s turn is over.",
        "{who} [hat|haben] es gezeigt: {column:cap} ist aus dem Spiel, und der Zug von {claimant} ist vorbei.",
    ),
    RulingKind.CLAIM_UPHELD: (
        "{who}'s challenge has failed; one of {who}'s columns may be taken out.",
        "Der Versuch von {who} ist gescheitert; eine Säule von {who} darf herausgenommen werden.",
    ),
    RulingKind.TAKEN_OUT: ("{who} [takes|take] {column} out of the game.", "{who} [nimmt|nehmen] {column} aus dem Spiel."),
    RulingKind.PENALTY_WAIVED: ("{who} [takes|take] no column out.", "{who} [nimmt|nehmen] keine Säule heraus."),
    RulingKind.LAID: Either(
        "covers",
        ("{plateau} lies on {covers} [column|columns:covers].", "{plateau} liegt auf {covers} [Säule|Säulen:covers]."),
        ("{plateau} lies.", "{plateau} liegt."),
    ),
    RulingKind.NOT_LAID: ("{plateau} is not laid.", "{plateau} wird nicht gelegt."),
    RulingKind.NOTHING_TO_ADD: ("{who} can add nothing.", "{who} [kann|können] nichts mehr anbauen."),
    RulingKind.BUILT_NOTHING: ("{who} [builds|build] nothing.", "{who} [baut|bauen] nichts."),
    RulingKind.PASSED: ("{who} [passes|pass].", "{who} [setzt|setzen] aus."),
    RulingKind.STOPPED: ("{who} [stops|stop] here.", "{who} [hört|hören] hier auf."),
    RulingKind.PROOF_OFFERED: (
        "{who} [wants|want] to show that another neutral column can be raised.",
        "{who} [will|wollen] zeigen, dass eine andere neutrale Säule gehoben werden kann.",
    ),
    RulingKind.PROOF_GIVEN: ("{who} [has|have] shown it: the turn is forfeited.", "{who} [hat|haben] es gezeigt: Der Zug ist verwirkt."),
    RulingKind.PROOF_FAILED: ("{who} [has|have] not shown it.", "{who} [hat|haben] es nicht gezeigt."),
    RulingKind.SEAL: ("The seal goes to {who}, it shows {face}.", "Das Siegel geht an {who}, es zeigt {face}."),
    RulingKind.VIOLATION: Either(
        "who",
        ("Against the rules by {who} ({rules}): {reasons}", "Regelverstoß von {who} ({rules}): {reasons}"),
        ("Against the rules ({rules}): {reasons}", "Regelverstoß ({rules}): {reasons}"),
    ),
    RulingKind.REFUSED: Either(
        "who",
        ("Refused to {who} ({rules}): {reasons}", "Abgelehnt für {who} ({rules}): {reasons}"),
        ("Refused ({rules}): {reasons}", "Abgelehnt ({rules}): {reasons}"),
    ),
    RulingKind.INCIDENT: Cases(
        "how",
        {
            "attempt": _fell("the attempt with {column} counts as broken off.", "Der Versuch mit {column:dat} gilt als abgebrochen."),
            "settled": _fell(
                "{column} had settled and stays raised; stand it up where it fell from.",
                "{column:cap} stand schon und gilt als gehoben; bitte stellt sie dort auf, wo sie fiel.",
            ),
            "laying": _fell(
                "the plateau comes off again, and the turn is over.", "Das neue Plateau kommt wieder herunter, der Zug ist vorbei."
            ),
            "removal": _fell("no column is taken out.", "Es wird keine Säule herausgenommen."),
            "nothing": _fell("stand them up where they were.", "Bitte stellt sie dort auf, wo sie standen."),
        },
    ),
    RulingKind.COLLAPSE: Either(
        "incident",
        (
            "A piece has fallen, which by the house rules ends the game; the cause: {who}.",
            "Ein Teil ist gefallen; nach der Hausregel endet damit das Spiel. Ursache: {who}.",
        ),
        ("The villa has collapsed; the cause: {who}.", "Einsturz der Villa; Ursache: {who}."),
    ),
    RulingKind.OUTSIDE: (
        "An outside event: the table decides whether to rebuild or whether the holder of the seal wins.",
        "Ein Ereignis von außen: Der Tisch entscheidet, ob neu aufgebaut wird oder der Besitzer des Siegels gewinnt.",
    ),
    RulingKind.REBUILT: ("Rebuilt as it was; play goes on.", "Wieder aufgebaut, wie es war; das Spiel geht weiter."),
    RulingKind.TABLE_RULED: ("The table rules on event {event}: {choice}.", "Der Tisch entscheidet zu Ereignis {event}: {choice}."),
    RulingKind.CORRECTED: Either(
        "set_aside",
        (
            "Event {event} is corrected; no longer possible and set aside: {set_aside}.",
            "Ereignis {event} ist berichtigt; nicht mehr möglich und beiseitegelegt: {set_aside}.",
        ),
        ("Event {event} is corrected.", "Ereignis {event} ist berichtigt."),
    ),
    RulingKind.SET_ASIDE: ("Set aside: {reasons}", "Beiseitegelegt: {reasons}"),
}

WHO_WINS: tuple[Pair, Pair] = (
    ("{why}: nobody wins.", "{why}: Niemand gewinnt."),
    ("{why}: {winners} [wins|win:winners].", "{why}: {winners} [gewinnt|gewinnen:winners]."),
)
"""How the end is told: with no winner, or with one or several."""

WHY_OVER: dict[Why, Pair] = {
    Why.COLLAPSE: ("The villa has collapsed", "Die Villa ist eingestürzt"),
    Why.NOTHING_TO_ADD: ("Nobody can add anything any more", "Niemand kann noch etwas anbauen"),
    Why.OUTSIDE: ("The table has ended the game", "Der Tisch hat das Spiel beendet"),
}

REASONS: dict[Reason, Pair] = {
    Reason.UNKNOWN_COLUMN: ("There is no such column in the set.", "Diese Säule gibt es in diesem Satz nicht."),
    Reason.UNKNOWN_PLATEAU: ("That plateau lies already, or is not in the set.", "Dieses Plateau liegt schon oder gehört nicht zum Satz."),
    Reason.UNKNOWN_FLOOR: ("That floor does not exist yet.", "Dieses Stockwerk gibt es noch nicht."),
    Reason.UNKNOWN_SEAT: ("Nobody sits there.", "Dort sitzt niemand."),
    Reason.UNKNOWN_DRAW: (
        "Every player gets the same number of colours, and each colour goes to one player only.",
        "Alle bekommen gleich viele Farben, und jede Farbe bekommt nur einer.",
    ),
    Reason.UNKNOWN_NUMBER: ("There is no event of that number to correct.", "Es gibt kein Ereignis mit dieser Nummer zu berichtigen."),
    Reason.CARRIER_ELSEWHERE: ("The carrying column does not stand on that floor.", "Die tragende Säule steht nicht auf diesem Stockwerk."),
    Reason.CARRIER_TAKEN: ("The carrying column carries another one already.", "Die tragende Säule trägt schon eine andere."),
    Reason.GAME_OVER: ("The game is over.", "Das Spiel ist aus."),
    Reason.WRONG_ORDER: ("Another plateau comes first.", "Ein anderes Plateau ist vorher dran."),
    Reason.COLUMNS_MISSING: ("Not all columns stand.", "Es stehen nicht alle Säulen."),
    Reason.OUTER_RING: ("No column stands on the outer ring.", "Auf dem äußeren Ring steht keine Säule."),
    Reason.NOT_ON_SITE: ("During set-up all columns stand on the building site.", "Beim Aufbau stehen alle Säulen auf dem Bauplatz."),
    Reason.SET_UP_OVER: ("The set-up is over.", "Der Aufbau ist vorbei."),
    Reason.BLUE_PROTRUDES: ("The blue plateau protrudes beyond the base.", "Das blaue Plateau ragt über das Fundament hinaus."),
    Reason.BLUE_COVERS_TOO_FEW: ("The blue plateau covers too few columns.", "Das blaue Plateau bedeckt zu wenige Säulen."),
    Reason.DRAW_TOO_EARLY: ("Colours are drawn once the blue plateau lies.", "Die Farben werden erst verteilt, wenn Blau liegt."),
    Reason.DRAW_OVER: ("The colours are drawn already.", "Die Farben sind schon verteilt."),
    Reason.DRAW_ORDER: ("It is not this player's draw, or not the way to draw now.", "Jetzt ist jemand anders oder etwas anderes dran."),
    Reason.COLOUR_TAKEN: ("That colour is taken.", "Diese Farbe ist vergeben."),
    Reason.NOT_BEGUN: ("The building has not begun.", "Das Bauen hat noch nicht begonnen."),
    Reason.OUT_OF_TURN: ("It is somebody else's turn.", "Jemand anders ist am Zug."),
    Reason.NOT_OWN: ("It is not the player's own column.", "Es ist keine eigene Säule."),
    Reason.OUT_OF_GAME: ("The column is not on the tower.", "Die Säule steht nicht im Bauwerk."),
    Reason.WRONG_FLOOR: ("A column is raised to the tallest plateau.", "Eine Säule kommt auf das oberste Plateau."),
    Reason.ON_TOP: ("The column stands on the tallest floor already.", "Die Säule steht schon ganz oben."),
    Reason.SECOND_TRY: ("There is no second try with another column.", "Einen zweiten Versuch mit einer anderen Säule gibt es nicht."),
    Reason.NEIGHBOUR_MOVED: ("Another column was moved.", "Eine andere Säule wurde verschoben."),
    Reason.PLATEAU_SHIFTED: ("A plateau did not come back to its place.", "Ein Plateau liegt nicht mehr an seinem Platz."),
    Reason.PLATEAU_HELD: ("A plateau was held while the column was set down.", "Beim Absetzen der Säule wurde ein Plateau festgehalten."),
    Reason.OVERHANG: ("The column's foot hangs over the edge.", "Der Fuß der Säule ragt über den Rand."),
    Reason.STACKED: ("On this floor no column may stand on a column.", "Auf diesem Stockwerk darf keine Säule auf einer Säule stehen."),
    Reason.CARRIES: ("The column carries another one.", "Die Säule trägt eine andere."),
    Reason.LOCKED: ("The column is locked.", "Die Säule ist gesperrt."),
    Reason.NO_REQUEST_AFTER_ABORT: ("After an abort no plateau can be requested.", "Nach einem Abbruch kann kein Plateau verlangt werden."),
    Reason.NOTHING_TO_RULE_ON: ("There is nothing to rule on.", "Es gibt nichts zu entscheiden."),
    Reason.CHOICE_NOT_OFFERED: ("That is not among the choices.", "Das steht nicht zur Wahl."),
    Reason.NO_REQUEST: ("No plateau has been requested.", "Es wurde kein Plateau verlangt."),
    Reason.REQUEST_STANDS: ("A request once spoken stands.", "Was verlangt ist, bleibt verlangt."),
    Reason.CANNOT_BE_CHALLENGED: (
        "The player has no column that could be raised.",
        "Hier gibt es nichts anzuzweifeln: Keine Säule kann gehoben werden.",
    ),
    Reason.NO_RAISE_THIS_TURN: ("No column may be raised in this turn.", "In diesem Zug darf keine Säule gehoben werden."),
    Reason.NO_PLATEAU_LEFT: ("There is no plateau left.", "Es ist kein Plateau mehr übrig."),
    Reason.COVERS_TOO_FEW: (
        "The plateau covers too few columns of the top floor.",
        "Das Plateau bedeckt zu wenige Säulen des obersten Stockwerks.",
    ),
    Reason.TOUCHES_TOO_FEW: (
        "The plateau touches too few columns of the top floor.",
        "Das Plateau berührt zu wenige Säulen des obersten Stockwerks.",
    ),
    Reason.PROTRUDES: ("The plateau protrudes beyond the base.", "Das Plateau ragt über das Fundament hinaus."),
    Reason.PARTLY_COVERED: ("A column is covered in part only.", "Eine Säule ist nur zum Teil bedeckt."),
    Reason.COLUMNS_SHIFTED: ("Columns were shifted to make the plateau fit.", "Säulen wurden verschoben, damit das Plateau passt."),
    Reason.NO_CHALLENGE_NOW: ("There is nothing to challenge now.", "Jetzt gibt es nichts anzuzweifeln."),
    Reason.CHALLENGE_RUNS: ("Somebody is challenging already.", "Es wird schon angezweifelt."),
    Reason.OWN_REQUEST: ("Nobody challenges a request of their own.", "Das eigene Verlangen zweifelt man nicht an."),
    Reason.CHALLENGED_ALREADY: ("This player has challenged already.", "Wer schon angezweifelt hat, darf nicht noch einmal."),
    Reason.NOT_THE_CHALLENGER: ("Somebody else is challenging.", "Jemand anders hat angezweifelt."),
    Reason.NOTHING_TO_GIVE_UP: ("There is no challenge to give up.", "Es gibt keinen Versuch aufzugeben."),
    Reason.NOT_CLAIMANTS_COLUMN: (
        "A challenge takes a column of the claimant's.",
        "Zum Anzweifeln gehört eine Säule dessen, der verlangt hat.",
    ),
    Reason.LOCKED_FOR_CHALLENGE: (
        "The column is locked, so it proves nothing in a challenge.",
        "Die Säule ist gesperrt, mit ihr ist beim Anzweifeln nichts zu beweisen.",
    ),
    Reason.MUST_BE_PLACED: ("The proof is to stand the column on top.", "Bewiesen ist es erst, wenn die Säule oben steht."),
    Reason.NO_PENALTY_NOW: ("There is no column to take out now.", "Jetzt ist keine Säule herauszunehmen."),
    Reason.ANOTHER_CHOOSES: ("The penalty is up to another player.", "Die Strafe nimmt jemand anders."),
    Reason.NOT_CHALLENGERS_COLUMN: (
        "The penalty is a column of the challenger's.",
        "Die Strafe ist eine Säule dessen, der angezweifelt hat.",
    ),
    Reason.NOT_TO_BE_TAKEN_OUT: (
        "Columns leave the game only by challenge or penalty.",
        "Säulen verlassen das Spiel nur durch Anzweifeln oder Strafe.",
    ),
    Reason.NOTHING_TO_LAY: ("No plateau is to be laid now.", "Jetzt ist kein Plateau zu legen."),
    Reason.NOT_ON_LAST_PLATEAU: ("That belongs to the last plateau.", "Das gilt erst auf dem letzten Plateau."),
    Reason.NO_PASS: ("There is no free pass.", "Aussetzen gibt es nicht."),
    Reason.NO_STOP_NOW: ("Nobody can stop here.", "Hier kann man nicht aufhören."),
    Reason.NO_OUTSIDE_EVENT: ("There is no outside event to decide.", "Es gibt kein Ereignis von außen zu entscheiden."),
    Reason.DECISION_FIRST: (
        "The table has to decide about the outside event first.",
        "Erst muss der Tisch über das Ereignis von außen entscheiden.",
    ),
    Reason.NEUTRAL_FIRST: ("A neutral column comes first.", "Zuerst kommt eine neutrale Säule."),
    Reason.ONE_NEUTRAL: ("One neutral column per turn.", "Je Zug nur eine neutrale Säule."),
    Reason.NO_REQUEST_AFTER_NEUTRAL: (
        "After a neutral column no plateau can be requested.",
        "Nach einer neutralen Säule kann kein Plateau verlangt werden.",
    ),
    Reason.LAST_NEUTRAL: ("It is the last neutral column on its floor.", "Es ist die letzte neutrale Säule auf ihrem Stockwerk."),
    Reason.NO_PROOF_NOW: ("There is nothing to prove now.", "Jetzt gibt es nichts zu beweisen."),
    Reason.OWN_PROOF: ("The proof is up to another player.", "Den Beweis führt jemand anders."),
    Reason.NEUTRAL_FOR_PROOF: ("The proof takes a neutral column.", "Zum Beweis gehört eine neutrale Säule."),
}

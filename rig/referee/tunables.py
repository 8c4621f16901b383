"""Every number by which the referee can be tuned, in one frozen value: unit, meaning, source, and what raising it does.

`TUNED` is what a rig uses. Another set goes in through `Referee(profile, tuned)`, so that an exam can compare. The table in the room's
README is printed by `markdown()`, and a test holds the two together. "Source" names where the effect of the value can be
measured; values with the source `paletti exam --senses model` were set by hand and tried there on the seeds 400000 to 400045.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields


def _tuned(value: float, unit: str, meaning: str, source: str, raising: str) -> float:
    """A field with its documentation."""
    notes = {"unit": unit, "meaning": meaning, "source": source, "raising": raising}
    answer: float = field(default=value, metadata=notes)
    return answer


def _count(value: int, unit: str, meaning: str, source: str, raising: str) -> int:
    answer: int = field(default=value, metadata={"unit": unit, "meaning": meaning, "source": source, "raising": raising})
    return answer


DESIGN = "by design"
HANDS = "`paletti exam --situations`, kinds abort, touch and lift"
FALLS = "`paletti exam --situations`, kinds fall_*"
PAIRS = "pairs of pictures, `tests/bench`"
MODEL = "`paletti exam --senses model`"
STEPS = "`tests/base`, weights of simulated hands"


@dataclass(frozen=True, slots=True)
class Tunables:
    """All tunables, by subject."""

    # --- hands, motion, calm ---
    hand_comes: float = _tuned(0.6, "", "hand probability from which a hand is in", HANDS, "hands are noticed late")
    hand_goes: float = _tuned(0.35, "", "hand probability below which the hand is gone", HANDS, "a hand at the border flickers")
    still: float = _tuned(0.004, "share", "region that may change between two frames of a still tower", PAIRS, "swaying counts as settled")
    moves: float = _tuned(0.012, "share", "the same where a single frame is enough", PAIRS, "a quick movement is missed")
    flicker: float = _tuned(0.015, "share", "changes below this are flicker", "lamps of the home level", "small movements hold nothing up")
    flicker_s: float = _tuned(3.5, "s", "how long flicker may hold up a judgement", "lamps of the home level", "lamps delay rulings")
    calm_s: float = _tuned(0.45, "s", "calm before pictures count as settled", HANDS, "rulings come later")
    glimpse_s: float = _tuned(
        0.1, "s", "the same for a glimpse at what is gone for a moment", DESIGN, "what fell and was stood up is missed"
    )
    stale_s: float = _tuned(1.5, "s", "without a picture: the camera is left out", DESIGN, "a dead camera stops the game longer")
    quiet_timeout_s: float = _tuned(
        3.0, "s", "a scale that does not get quiet no longer holds up the eyes", STEPS, "rulings wait for the scale"
    )
    ahead_s: float = _tuned(
        1.2, "s", "after this the eyes go ahead of a shaking scale", STEPS, "raises are told later while the scale shakes"
    )
    lone_hand_s: float = _tuned(
        1.0, "s", "stillness after which a hand that only some cameras see is doubted", HANDS, "shadows delay rulings"
    )
    every_hand_s: float = _tuned(3.0, "s", "the same for a hand that every camera sees", HANDS, "fallen pieces delay rulings")
    pause_s: float = _tuned(2.0, "s", "without a hand between two actions, at least", DESIGN, "two actions count as one")
    remembered_s: float = _tuned(30.0, "s", "how long hands and shocks are remembered", DESIGN, "more memory")
    stirred: float = _tuned(
        0.03, "share", "change against the settled picture that begins an action nobody's hand began", FALLS, "a fall is unseen"
    )
    at_work_s: float = _tuned(0.8, "s", "pictures are kept as witnesses so long after a hand", HANDS, "more pictures of a standing tower")
    witness_gap_s: float = _tuned(0.35, "s", "between two witnesses of a camera", HANDS, "short aborts are missed")
    witnesses: int = _count(48, "pictures", "searched for a column put back", HANDS, "the search takes longer")
    refresh_s: float = _tuned(4.0, "s", "between two reference pictures of an untouched tower", DESIGN, "wandering light counts as change")
    first_still_s: float = _tuned(0.6, "s", "stillness before the first reference picture", DESIGN, "the first column is told later")
    doubt_again_s: float = _tuned(2.0, "s", "between two judgements of a still scene with a hand in it", DESIGN, "fewer looks")

    # --- falls ---
    fall_changed: float = _tuned(0.06, "share", "unlike the settled tower: a fall is looked for", FALLS, "falls are called later")
    upset: float = _tuned(
        0.2, "share", "unlike itself beyond what a column in the hand does", FALLS, "a fall before an arm is called later"
    )
    fall_hands_s: float = _tuned(0.6, "s", "without a hand in a moving scene before a fall is looked for", FALLS, "falls are called later")
    fall_weight_g: float = _tuned(8.0, "g", "change of weight that goes with a fall", FALLS, "small falls are missed")
    fall_swing_g: float = _tuned(
        60.0, "g", "swing of the weight from which a fall behind an arm is looked for", FALLS, "falls behind arms wait"
    )
    still_patience_s: float = _tuned(
        0.7, "s", "stillness after which a scene with something like a hand is judged", FALLS, "falls are called later"
    )
    still_again_s: float = _tuned(1.5, "s", "between two such judgements", DESIGN, "fewer looks")
    strange_g: float = _tuned(
        3.0, "g", "change of weight that hands at work do not explain", STEPS, "falls under something like a hand wait"
    )
    fall_again_s: float = _tuned(0.4, "s", "between two looks for a fall", DESIGN, "falls are called later")
    twice_s: float = _tuned(1.3, "s", "two looks so near to each other must both see a fall", FALLS, "two unrelated looks make a fall")
    leans_deg: float = _tuned(
        1.5, "deg", "tilt of the top plateau that is warned of", "`reading_tilts` bench", "the tower is down before the warning"
    )
    leans_sigmas: float = _tuned(3.0, "sigmas", "how far beyond doubt that must be", "`reading_tilts` bench", "the warning comes later")

    # --- one judgement ---
    sure: float = _tuned(0.9, "probability", "told for good from here on", MODEL, "more is only probable")
    tellable: float = _tuned(
        0.5, "probability", "least that is told as probable; below it people are asked at once", MODEL, "more questions"
    )
    fits: float = _tuned(0.25, "", "least fit of the pictures", PAIRS, "more questions")
    misfit: float = _tuned(0.3, "probability", "that pictures which fit badly show something else", MODEL, "more is only probable")
    blurred: float = _tuned(
        0.2, "", "worth of the eyes' log likelihoods where the best of them fits badly", MODEL, "one wrong sight decides"
    )
    fall_seen: float = _tuned(
        -1.0, "log likelihood", "what the eyes must give a fall, 0 at best", FALLS, "a hand that holds the tower ends games less often"
    )
    unseen_g: float = _tuned(8.0, "g", "change of weight that forbids *nothing happened*", STEPS, "a thin plate seen edge-on is missed")
    another_mm2: float = _tuned(
        400.0, "mm²", "left unexplained by one fallen column: another may have fallen", PAIRS, "columns that fell along are missed"
    )
    felt_place_g: float = _tuned(
        20.0, "g", "change from which the scale says where a plateau lies", STEPS, "plateaus are looked for everywhere"
    )

    # --- priors (natural logarithms) ---
    illegal: float = _tuned(-4.0, "log prior", "what the rules forbid", MODEL, "cheating is seen in noise")
    unspoken: float = _tuned(-1.0, "log prior", "a plateau laid that nobody asked for aloud", MODEL, "plateaus are seen in noise")
    unannounced: float = _tuned(
        -2.0, "log prior", "a challenge that nobody spoke", MODEL, "a raise against a request looks like a challenge"
    )
    no_deed: float = _tuned(-3.0, "log prior", "a turn that ends without a deed, though one was possible", MODEL, "turns end unnoticed")
    unheard: float = _tuned(
        -2.3, "log prior", "a call that nobody heard: a tenth of them (`rig.twin.physics.level_table`)", MODEL, "turns end unnoticed"
    )
    unseen: float = _tuned(-6.5, "log prior", "an attempt broken off that no sense noticed", MODEL, "raises out of turn count as in turn")
    unlikely: float = _tuned(-4.0, "log prior", "what hardly ever happens, such as a column fallen over", MODEL, "falls are seen in noise")
    fall: float = _tuned(-2.0, "log prior", "a collapse", MODEL, "false collapses")
    twice: float = _tuned(-5.0, "log prior", "two things at once", PAIRS, "pairs drown what happened")
    stolen: float = _tuned(-8.0, "log prior", "a column taken that nobody may take", PAIRS, "falls off the table are asked about")
    unheard_of: float = _tuned(-6.0, "log prior", "what is not even in the wider list", PAIRS, "shadows make questions")
    one_more: float = _tuned(0.7, "log prior", "price of each further column that falls along", PAIRS, "several fallen are told as one")
    most_fallen: int = _count(6, "columns", "tried as fallen together", DESIGN, "longer looks")
    not_yet: float = _tuned(-1.5, "log prior", "a raise while a fallen column is missing", MODEL, "who builds on is not asked")
    alike: float = _tuned(-4.0, "log prior", "a raise of the missing column's double", MODEL, "a column stood up is taken for a raise")

    # --- the scale ---
    settled_sigma_g: float = _tuned(0.7, "g", "spread of a settled difference", STEPS, "thin and hexagonal blur")
    settled_wrong: float = _tuned(0.02, "probability", "the scale is plainly wrong", STEPS, "the scale says less")
    carried_sigma_g: float = _tuned(1.0, "g", "spread of the weight in the hand", STEPS, "shapes blur")
    carried_wrong: float = _tuned(0.25, "probability", "the weight in the hand is plainly wrong", STEPS, "it says less")
    broad_g: float = _tuned(60.0, "g", "width of *plainly wrong*", STEPS, "odd weights say less")
    rubble_g: float = _tuned(250.0, "g", "spread of what a fall takes off the scale", FALLS, "heavy losses look more like a fall")
    placed_g: float = _tuned(5.0, "g", "change below which the scale gives no place", STEPS, "fewer places known")

    # --- columns put back ---
    trace_weight: float = _tuned(0.8, "", "worth of the eyes' log odds that a column was displaced", MODEL, "sight alone locks columns")
    put_back: float = _tuned(0.0, "log prior", "an attempt broken off, when hands changed nothing", MODEL, "touches count as aborts")
    spoken: float = _tuned(4.0, "log likelihood", "worth of the player's word", MODEL, "the word alone is enough")
    requests: float = _tuned(
        -1.6, "log prior", "a builder who presses the button asks for the plateau: a fifth of the turns", MODEL, "aborts become requests"
    )
    fresh_s: float = _tuned(1.5, "s", "hands in for less have nothing to break off yet", MODEL, "late words go to the action before")
    kept_quiet: float = _tuned(
        -0.7, "log likelihood", "an abort of which nobody says a word", MODEL, "unspoken aborts are told more readily"
    )
    others: float = _tuned(
        -4.0, "log prior", "a tug at a column that is not the player's to take", MODEL, "tugs at anybody's column lock it"
    )
    word_lasts_s: float = _tuned(20.0, "s", "a word older than this belongs to nothing", DESIGN, "old words lock columns")
    word_waits_s: float = _tuned(3.0, "s", "a word waits so long for the action it belongs to", DESIGN, "questions come later")

    # --- what is gone for a while ---
    held_g: float = _tuned(60.0, "g", "off the scale beyond any deed: a hand holds the tower", STEPS, "more questions")
    held_s: float = _tuned(25.0, "s", "how long that is waited for", DESIGN, "questions come later")
    carried_g: float = _tuned(
        5.0, "g", "off the scale with a column out of sight: it is carried about", STEPS, "carried columns are told as fallen"
    )
    carried_s: float = _tuned(15.0, "s", "how long that is waited for", DESIGN, "what fell off the table is told later")
    waits_again_s: float = _tuned(1.5, "s", "between two looks meanwhile", DESIGN, "fewer looks")
    may_be_gone: float = _tuned(
        0.2,
        "probability",
        "that a column is out of sight rather than in its place, from which it may be in a hand",
        MODEL,
        "columns in the hand are told as put back",
    )
    seen_gone: float = _tuned(0.9, "probability", "it is known which column was gone", DESIGN, "fewer falls remembered")
    lies: float = _tuned(3.0, "log likelihood", "a column seen lying rather than nowhere", PAIRS, "fallen columns are waited for")

    # --- measures ---
    overhang_mm: float = _tuned(4.0, "mm", "over the edge (B7)", "DESIGN, tolerance", "overhangs are missed")
    shifted_mm: float = _tuned(5.0, "mm", "a plateau not put back (B5)", "DESIGN, tolerance", "shifts are missed")
    shifted_deg: float = _tuned(3.0, "deg", "the same, turned", "DESIGN, tolerance", "turns are missed")
    nudged_mm: float = _tuned(5.0, "mm", "a neighbour moved (B3)", "DESIGN's 4 mm and 1 mm for half-hidden columns", "nudges are missed")
    covered_share: float = _tuned(
        0.25, "share", "of a column's top that a plateau covers (A3)", "DESIGN, covers", "plateaus on too few columns are flagged"
    )
    gap_mm: float = _tuned(1.5, "mm", "between a column's top and the plateau over it", "DESIGN, covers", "columns count as covered")
    accuse_mm: float = _tuned(
        1.0,
        "mm",
        "added to a tolerance before anybody is accused",
        "by design: places are known to a millimetre",
        "broken rules are missed",
    )

    # --- whole readings ---
    same_mm: float = _tuned(
        15.0, "mm", "two readings nearer than this are one column", "thin columns cannot stand so close", "neighbours are merged"
    )
    overrules: float = _tuned(0.9, "confidence", "a kind read replaces another believed", "`bench_reading`", "misread columns stay")
    off_g: float = _tuned(5.0, "g", "the scale may differ from the tower", "half the lightest column", "hidden columns are missed")
    most_hidden: int = _count(6, "columns", "sought by weight", DESIGN, "longer search")
    read_again_s: float = _tuned(5.0, "s", "between two readings while lost", DESIGN, "the way back takes longer")
    most_deeds: int = _count(4, "deeds", "beyond the books that are asked about", DESIGN, "longer questions")
    fallen_g: float = _tuned(30.0, "g", "change of weight that goes with a fall while lost", FALLS, "falls while lost are missed")
    fallen_reads: int = _count(2, "readings", "in a row without a tower that are a fall", FALLS, "falls while lost are told later")

    # --- whose hand ---
    before_s: float = _tuned(2.5, "s", "before the fall: hands that may have caused it", FALLS, "more hands are suspected")
    sooner_s: float = _tuned(0.15, "s", "a hand must be seen so long before", FALLS, "falling pieces are no hands")
    itself: float = _tuned(0.1, "share", "that a mere arm changes at most", FALLS, "falling plateaus look like arms")
    sudden_s: float = _tuned(
        0.4, "s", "an arm must be seen so long before the tower looks unlike itself", FALLS, "sudden pulls are asked about"
    )
    hasty_s: float = _tuned(2.6, "s", "hands that came so shortly before may be anybody's", FALLS, "more builders are asked")
    soon_s: float = _tuned(1.5, "s", "after a deed: a fall by itself is surely that deed's", FALLS, "fewer late falls are asked about")
    late_s: float = _tuned(15.0, "s", "after a deed: a fall by itself is probably that deed's", FALLS, "draughts are blamed on people")
    knock_mps2: float = _tuned(2.0, "m/s²", "shock of the base that is a knock", FALLS, "soft knocks go unnoticed")
    knock_within_s: float = _tuned(1.2, "s", "from a knock to the fall it causes", FALLS, "knocks are blamed for other falls")
    sleeve_pictures: int = _count(2, "pictures", "that must show a sleeve", FALLS, "sleeves tell less often")
    plain: float = _tuned(0.25, "share", "of the largest arm from which a sleeve counts", FALLS, "thin arms tell nothing")
    known_deeds: int = _count(2, "deeds", "from which it is known what a player wears", MODEL, "shirts are learnt later")

    # --- cameras ---
    pose_again_s: float = _tuned(2.0, "s", "between two searches for a camera without markers", DESIGN, "cameras are found later")
    knocked_share: float = _tuned(
        0.002, "share", "shift of the whole picture that is looked into", "by design", "small knocks spoil places"
    )
    knocked_frames: int = _count(2, "frames", "in a row that must say so", "by design", "knocks are found later")
    markers_again_s: float = _tuned(1.0, "s", "between two looks at a camera's markers", DESIGN, "fewer looks")
    trusted_s: float = _tuned(10.0, "s", "a camera that stands is not doubted again", DESIGN, "a second knock is found later")
    at_rest: float = _tuned(
        0.08, "share", "that may change in a camera that has come to rest", "by design", "swinging cameras are measured"
    )

    # --- the belief ---
    beam: int = _count(12, "courses", "carried at most", MODEL, "each action costs more")
    dropped: float = _tuned(0.002, "share", "of the best below which a course is dropped", MODEL, "late evidence finds nothing to support")
    revised: float = _tuned(0.6, "probability", "that what was told is wrong, from which it is revised", MODEL, "revisions come later")
    trusted: float = _tuned(0.98, "probability", "that an answer of the table is right", DESIGN, "a slip of the tongue decides")
    misheard: float = _tuned(-3.0, "log likelihood", "a call that the rules refuse", MODEL, "calls say less about whose turn it is")
    asks_for: float = _tuned(0.1, "probability", "gain from which a question is asked", MODEL, "fewer questions")
    confirm_s: float = _tuned(
        8.0, "s", "after an answer a calm picture must come, or places are guessed", DESIGN, "answers take effect later"
    )
    apart_mm: float = _tuned(12.0, "mm", "a remembered place is free", DESIGN, "columns are drawn elsewhere")


TUNED = Tunables()
"""What a rig uses."""


def markdown(tuned: Tunables = TUNED) -> str:
    """The table for the README, one row a tunable."""
    rows = ["| name | value | unit | meaning | source | raising it |", "|---|---|---|---|---|---|"]
    for one in fields(tuned):
        notes = one.metadata
        value = getattr(tuned, one.name)
        rows.append(f"| `{one.name}` | {value:g} | {notes['unit']} | {notes['meaning']} | {notes['source']} | {notes['raising']} |")
    return "\n".join(rows)

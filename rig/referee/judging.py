"""What the referee makes of what it perceives: when to look, what to ask the eyes and the table, and what their answers amount to.

Evidence comes as it comes; a ruling waits until things have settled. The one exception is a fall, which is called while pieces still roll.
"""

from __future__ import annotations

from rig.messages import (
    Answered,
    Ask,
    Evidence,
    Fact,
    FactKind,
    Fallen,
    Hypothesis,
    Judged,
    Moved,
    NoneOfThese,
    Nothing,
    PlateauLaid,
    Toppled,
    Tower,
    TowerRead,
    Tracked,
)
from rig.pieces import Column
from rig.referee import falls, questions
from rig.referee.aborts import Abort
from rig.referee.deeds import described
from rig.referee.falls import Falls
from rig.referee.inquiry import Pending, again, compose, confirm, glimpse
from rig.referee.lost import YES, Found, Lost, Why
from rig.referee.mind import Mind
from rig.referee.missing import Missing
from rig.referee.questions import Question
from rig.referee.rereading import Rereading
from rig.referee.senses import Action
from rig.referee.tugs import Tugs
from rig.referee.verdict import Candidate, Verdict, weigh_up
from rig.rules.events import Aborted, Collapsed, OutsideDecided

REFRESH_S = 4.0
"""Seconds after which the reference pictures of an untouched tower are renewed, so that wandering light is no change."""

FIRST_STILL_S = 0.6
"""Seconds the empty base must stand still before its picture becomes the first reference."""

DOUBT_AGAIN_S = 2.0
"""Seconds between two judgements of a still scene with a hand that only some cameras see."""

WAITS_AGAIN_S = 1.5
"""Seconds after which what may be in somebody's hand out of sight is looked for again."""

CONFIRM_S = 8.0
"""Seconds after the table's answer by which a calm picture must come, or places are guessed."""

ABORT_WAITS_S = 3.0
"""Seconds a word "abort" waits for the action it belongs to before the desk is asked which column it was."""


class Judging:
    """The open matters: what is asked of the eyes (`pending`, a search for tugs, whole readings) or of the table (`asked`)."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._pending: Pending | None = None
        self._tugs = Tugs(mind)
        self._falls = Falls(mind)
        self._missing = Missing(mind)
        self._rereading = Rereading(mind)
        self._lost = Lost(mind)
        self._found: Found | None = None
        self._held_back: tuple[Candidate, Tower] | None = None
        """A deed that waits until people have said how the turn before it ended, and the tower before it."""
        self._asked: tuple[Question, Pending | None, Verdict | None] | None = None
        self._doubted_t_s = self._waits_until_s = self._word_t_s = -1e9
        self._word: tuple[Hypothesis, tuple[Evidence, ...], Pending] | None = None

    @property
    def asked(self) -> Ask | None:
        """The question that waits for the table."""
        return self._asked[0].ask if self._asked is not None else None

    @property
    def looking(self) -> bool:
        """Whether an answer of the eyes is waited for."""
        return self._pending is not None or self._tugs.open or self._rereading.open or self._lost.open

    def drop(self) -> None:
        """Nothing that was asked is waited for any more."""
        self._pending = self._asked = self._word = self._found = self._held_back = None
        self._tugs.drop()
        self._rereading.drop()
        self._missing.forget()

    def start_anew(self) -> None:
        """Another game: nothing of the one before is waited for or lost."""
        self.drop()
        self._lost.forget()

    @property
    def busy(self) -> bool:
        return self.looking or self._asked is not None

    def think(self) -> None:
        self._hear_late_word()
        if self._mind.book.over or self.busy or self._mind.t_s < self._waits_until_s:
            return
        senses = self._mind.senses
        if self._word is not None:
            self._confirm(*self._word)
            return
        if self._lost.why is not None:
            self._lost.look(senses.calm_frames(self._mind.t_s))
            return
        if not self._mind.references and (senses.action is None or not senses.referenced):
            self._take_first_reference()
            return
        if senses.action is None:
            self._rest()
            return
        frames = senses.calm_frames(self._mind.t_s, senses.action.start_t_s)
        if frames is not None and not frames.keys() & self._mind.references.keys():
            self._start_over(senses.action, frames)
        elif frames is not None:
            self._judge(senses.action, frames, settled=True)
        else:
            self._look_at_what_has_not_settled(senses.action)

    def _look_at_what_has_not_settled(self, action: Action) -> None:
        """A hand that only rests, a column that is gone for a moment, or a fall."""
        mind = self._mind
        if mind.t_s - self._doubted_t_s > DOUBT_AGAIN_S and (lone := mind.senses.lone_hand_frames(mind.t_s)) is not None:
            self._doubted_t_s = mind.t_s
            self._judge(action, lone, settled=True, doubtful=True)
        elif mind.book.setting_up:
            return
        elif (glimpsed := self._missing.glimpse(action)) is not None:
            self._pending, request = glimpse(mind.mouth.next_id(), mind.senses, action, glimpsed, mind.references, mind.tower)
            mind.mouth.request(request)
        elif (fallen := self._falls.frames(action)) is not None:
            self._judge(action, fallen, settled=False)

    def _hear_late_word(self) -> None:
        """The player's word may answer the question which column was tried."""
        if self._asked is None or not self._asked[0].tried or not self._mind.aborts.word_waits:
            return
        abort = self._mind.aborts.decide(self._mind.t_s)
        if abort is not None and abort.column is not None:
            self._asked = None
            self._settle_abort(abort)

    def _confirm(self, hypothesis: Hypothesis, word: tuple[Evidence, ...], pending: Pending) -> None:
        """People said what happened; the eyes say where things stand, as soon as all is calm."""
        frames = self._mind.senses.calm_frames(self._mind.t_s)
        if frames is not None and frames.keys() & self._mind.references.keys():
            self._pending, request = confirm(
                self._mind.mouth.next_id(), hypothesis, word, pending, frames, self._mind.references, self._mind.senses, self._mind.tower
            )
            self._mind.mouth.request(request)
            self._mind.senses.note_settled()
        elif self._mind.t_s - self._word_t_s > CONFIRM_S:
            self._accept(pending, questions.confirmed(hypothesis, None, word, self._mind.tower, self._mind.profile))
        else:
            return
        self._word = None

    def _start_over(self, action: Action, frames: dict[int, int]) -> None:
        """Every camera was moved during an action, so no picture from before compares with one from after: people must say."""
        mind = self._mind
        pending, _ = compose(
            mind.mouth.next_id(), mind.senses, action, frames, {}, mind.tower, mind.book, mind.repair, mind.profile, True, False
        )
        self._mind.refer_to(frames)
        self._mind.senses.note_settled()
        if action.hands_seen and not self._mind.book.setting_up:
            verdict = Verdict((), False, "The camera was moved while hands were at the tower.")
            self.ask(questions.what_happened(self._mind.mouth.next_id(), self._mind.t_s, pending.weighted, verdict), pending, verdict)

    def _take_first_reference(self) -> None:
        frames = self._mind.senses.still_frames(self._mind.t_s, FIRST_STILL_S)
        expected = [eye for eye in self._mind.senses.eyes.values() if eye.frame is not None]
        if frames is not None and len(frames) == len(expected):
            self._mind.senses.referenced = True
            self._mind.refer_to(frames)
            self._mind.senses.note_settled()

    def _take_further_references(self) -> None:
        """A camera whose first picture came later than the others' has none to compare with yet."""
        senses = self._mind.senses
        late = {eye.camera for eye in senses.eyes.values() if eye.frame is not None} - self._mind.references.keys()
        frames = senses.still_frames(self._mind.t_s, FIRST_STILL_S) if late else None
        if frames is not None and late & frames.keys():
            self._mind.refer_to({camera: frames[camera] for camera in late & frames.keys()})

    def _rest(self) -> None:
        """Nothing happens: renew the reference now and then, look twice at a set-up, and settle an abort that was called late."""
        self._take_further_references()
        if self._mind.aborts.word_waits and self._mind.t_s - self._mind.aborts.word_t_s > ABORT_WAITS_S:
            self._settle_abort(self._mind.aborts.decide(self._mind.t_s) or Abort(None, 0.5, (), self._mind.book.attempt_columns()))
            return
        if self._rereading.is_due() and (calm := self._mind.senses.calm_frames(self._mind.t_s)) is not None:
            self._rereading.begin(calm)
            return
        if self._mind.t_s - self._mind.referenced_t_s >= REFRESH_S:
            frames = self._mind.senses.calm_frames(self._mind.t_s, self._mind.t_s - 1.0)
            if frames is not None and frames.keys() >= self._mind.references.keys():
                self._mind.refer_to(frames)
                self._mind.senses.note_settled()

    def _judge(self, action: Action, frames: dict[int, int], settled: bool, doubtful: bool = False) -> None:
        self._pending, request = compose(
            self._mind.mouth.next_id(), self._mind.senses, action, frames, self._mind.references, self._mind.tower, self._mind.book,
            self._mind.repair, self._mind.profile, settled, doubtful,
        )  # fmt: skip
        self._mind.mouth.request(request)
        if settled and not doubtful:
            self._mind.senses.note_settled()

    def hear_judged(self, judged: Judged) -> None:
        pending = self._pending
        if pending is None or judged.id != pending.id:
            return
        self._pending = None
        frames = tuple(pending.frames.values())
        verdict = weigh_up(pending.weighted, judged, pending.change_g, pending.action.steps, self._mind.profile, frames)
        if not pending.settled:
            self._hear_unsettled(pending, verdict)
        elif pending.doubtful:
            self._hear_doubtful(pending, verdict)
        elif pending.word:
            self._accept(
                pending, questions.confirmed(pending.weighted[0].hypothesis, verdict, pending.word, self._mind.tower, self._mind.profile)
            )
        elif self._missing.waits(pending, verdict):
            self._mind.senses.take_up(pending.action)
            self._waits_until_s = self._mind.t_s + WAITS_AGAIN_S
        elif self._mind.book.setting_up:
            self._hear_of_set_up(pending, verdict)
        elif verdict.sure:
            self._accept(pending, verdict.best)
        elif verdict.candidates and (more := again(self._mind.mouth.next_id(), pending, judged, self._mind.tower, self._mind.book)):
            self._pending, request = more
            self._mind.mouth.request(request)
        else:
            self.ask(questions.what_happened(self._mind.mouth.next_id(), self._mind.t_s, pending.weighted, verdict), pending, verdict)

    def _hear_unsettled(self, pending: Pending, verdict: Verdict) -> None:
        """A fall is called; a column that was gone for a moment is remembered."""
        if pending.glimpsed:
            self._missing.note(pending, verdict)
        elif self._falls.is_called(pending, verdict):
            self._mind.senses.note_settled()
            self._accept(pending, verdict.best)

    def _hear_of_set_up(self, pending: Pending, verdict: Verdict) -> None:
        """What explains the pictures is believed; where nothing does, the whole is read, and before blue ends the set-up too."""
        ends = verdict.sure and isinstance(verdict.best.hypothesis, PlateauLaid) and not self._rereading.is_checked()
        if ends or not verdict.sure:
            self._rereading.begin(pending.frames, pending, verdict)
            return
        self._accept(pending, verdict.best)

    @property
    def lost(self) -> bool:
        """Whether the tower is read from scratch, because nothing believed of it can be built upon."""
        return self._lost.why is not None

    def lose(self, why: Why) -> None:
        """Nothing believed of the tower can be built upon until it has been read anew."""
        if self._mind.profile.cameras:
            self.drop()
            self._lost.lose(why)

    def _found_again(self, found: Found) -> None:
        if found.ask is None:
            self._lost.find(found)
        else:
            self._found = found
            self.ask(Question(found.ask, {}), None, None)

    def hear_tower(self, read: TowerRead) -> None:
        """The tower was read as a whole: lost track is found; in set-up, what is left open is settled as the judgement before it was."""
        found = self._lost.hear(read)
        if found is not None:
            self._found_again(found)
        elif (seen := self._lost.fallen()) is not None:
            self._fell_unwatched(seen)
        left = self._rereading.hear(read)
        if left is None or left.pending is None or left.verdict is None:
            return
        if left.verdict.sure:
            self._accept(left.pending, left.verdict.best)
        else:
            self.ask(
                questions.what_happened(self._mind.mouth.next_id(), self._mind.t_s, left.pending.weighted, left.verdict),
                left.pending, left.verdict,
            )  # fmt: skip

    def _hear_doubtful(self, pending: Pending, verdict: Verdict) -> None:
        """A still scene in which some camera saw a hand: what explains the pictures may be ruled or asked, anything else waits."""
        if self._mind.senses.action is not pending.action or not verdict.candidates:
            return
        if verdict.sure or not isinstance(verdict.best.hypothesis, NoneOfThese):
            self._mind.senses.note_settled()
            if verdict.sure:
                self._accept(pending, verdict.best)
            else:
                self.ask(questions.what_happened(self._mind.mouth.next_id(), self._mind.t_s, pending.weighted, verdict), pending, verdict)

    def _accept(self, pending: Pending, found: Candidate) -> None:
        """One hypothesis holds: believe its tower, and say what happened."""
        before = self._mind.tower
        self._mind.places.note(before)
        if found.tower is not None:
            self._mind.tower = found.tower
        self._mind.refer_to(pending.frames)
        unchanged = isinstance(found.hypothesis, Nothing)
        if unchanged and not self._mind.book.setting_up and (pending.action.hands_seen or self._mind.aborts.word_waits):
            self._mind.handled_t_s = self._mind.t_s
            self._hear_nothing_changed(pending, before)
            return
        self._missing.forget()
        if isinstance(found.hypothesis, Fallen) and not self._mind.book.setting_up:
            self._fell(pending, found)
            return
        if isinstance(found.hypothesis, Toppled):
            self._mind.repair.fell(before, found.hypothesis)
        self._mind.repair.settle(self._mind.tower)
        if self._turn_had_ended(found.hypothesis):
            self._held_back = (found, before)
            among = self._mind.aborts.likeliest_first(self._mind.book.attempt_columns())
            self.ask(questions.how_the_turn_ended(self._mind.mouth.next_id(), self._mind.t_s, among), None, None)
            return
        self._tell(found, before)

    def _hear_nothing_changed(self, pending: Pending, before: Tower) -> None:
        """All stands as it did, but something may have been gone meanwhile, or tugged."""
        fell = self._missing.came_back()
        if fell is not None:
            self._mind.tell(*fell)
        if fell is None or fell[1].column is None:
            self._tugs.look_for(pending, before)

    def _turn_had_ended(self, deed: Hypothesis) -> bool:
        """Whether it was the next player's deed, after an attempt whose end nobody saw or heard. Else a rule was broken."""
        handled = self._mind.handled_t_s > self._mind.last_deed[1]
        return isinstance(deed, Moved) and handled and self._mind.book.turn_had_ended(deed.column, deed.floor)

    def _tell(self, found: Candidate, before: Tower) -> None:
        for deed in described(found, self._mind.mouth, self._mind.t_s, self._mind.book, before, self._mind.tower, self._mind.profile):
            self._mind.tell(*deed)

    def _fell(self, pending: Pending, found: Candidate) -> None:
        """A collapse is called at once; its culprit too, or the table is asked."""
        fact, blamed = falls.fact_of(pending, found, self._mind)
        if blamed.sure:
            self._mind.tell(fact, Collapsed(by=blamed.seat))
            return
        self._mind.mouth.fact(fact)
        self.ask(questions.who_did_it(self._mind.mouth.next_id(), self._mind.t_s, self._mind.book.names, blamed, fact.id), None, None)

    def _fell_unwatched(self, seen: Evidence) -> None:
        """It fell while track was lost: that is clear, whose doing it was is not."""
        fact, blamed = falls.unwatched(seen, self._mind)
        self._lost.forget()
        self._mind.mouth.fact(fact)
        self.ask(questions.who_did_it(self._mind.mouth.next_id(), self._mind.t_s, self._mind.book.names, blamed, fact.id), None, None)

    def hear_tracked(self, tracked: Tracked) -> None:
        if (abort := self._tugs.hear(tracked)) is not None:
            self._settle_abort(abort)

    def _settle_abort(self, abort: Abort) -> None:
        if abort.column is None:
            if abort.among:
                said = self._mind.aborts.word_waits
                self.ask(questions.which_column(self._mind.mouth.next_id(), self._mind.t_s, abort.among, said), None, None)
            else:
                self._mind.aborts.forget()
            return
        self._mind.aborts.forget()
        standing = self._mind.tower.find(abort.column)
        fact = Fact(
            id=self._mind.mouth.next_id(), t_s=self._mind.t_s, kind=FactKind.ABORTED, seat=self._mind.book.actor, column=abort.column,
            floor=standing.floor if standing else None, confidence=abort.confidence, evidence=abort.evidence,
        )  # fmt: skip
        self._mind.tell(fact, Aborted(abort.column))

    def ask(self, question: Question, pending: Pending | None, verdict: Verdict | None) -> None:
        self._asked = (question, pending, verdict)
        self._mind.mouth.request(question.ask)

    def hear_answer(self, answered: Answered) -> None:
        if self._asked is None or self._asked[0].ask.id != answered.ask:
            return
        question, pending, verdict = self._asked
        self._asked = None
        word = (Evidence("desk", f"the table says: {answered.choice}", 6.0),)
        if question.fact is not None:
            self._hear_whose_doing(answered.choice, question.fact)
        elif answered.choice in questions.OUTSIDE:
            self._mind.book.enter(self._mind.t_s, OutsideDecided(questions.OUTSIDE[answered.choice]))
            if not self._mind.book.over:
                self.lose(Why.REBUILDING)
        elif self._found is not None:
            found, self._found = self._found, None
            if answered.choice == YES:
                self._lost.find(found)
            else:
                self._lost.refuse()
        elif pending is not None:
            self._hear_what_happened(question.meaning.get(answered.choice), pending, verdict, word)
        else:
            self._mind.aborts.forget()
            if answered.choice != questions.NO_COLUMN:
                self._settle_abort(Abort(Column.parse(answered.choice), 0.98, word))
            if self._held_back is not None:
                found_and_before, self._held_back = self._held_back, None
                self._tell(*found_and_before)

    def _hear_whose_doing(self, choice: str, collapse: int) -> None:
        seat = next((seat for seat, name in enumerate(self._mind.book.names) if name == choice), None)
        self._mind.book.enter(self._mind.t_s, Collapsed(by=seat, outside=seat is None), (collapse,))
        if self._mind.book.undecided:
            self.ask(questions.rebuild_or_end(self._mind.mouth.next_id(), self._mind.t_s), None, None)

    def _hear_what_happened(
        self, hypothesis: Hypothesis | None, pending: Pending, verdict: Verdict | None, word: tuple[Evidence, ...]
    ) -> None:
        setting_up = self._mind.book.setting_up
        self._missing.forget()
        if hypothesis is None:
            self._mind.refer_to(pending.frames)
            if not setting_up:
                self.lose(Why.SURPRISED)
        elif isinstance(hypothesis, (Nothing, Fallen)) or not self._mind.references or setting_up:
            self._accept(pending, questions.confirmed(hypothesis, verdict, word, self._mind.tower, self._mind.profile))
        else:  # the pictures it was asked about may have shown a hand: where things stand, a calm picture tells
            self._word = (hypothesis, word, pending)
            self._word_t_s = self._mind.t_s

    def take_the_word(self) -> None:
        """A deed that was told answers the question that waits and ends what was being looked at: as it is now is how it should be."""
        pending = self._pending if self._asked is None else self._asked[1]
        if pending is not None:
            self._mind.refer_to(pending.frames)
        elif self._mind.senses.action is not None:
            self._mind.references = {}
        self.drop()
        self._mind.aborts.forget()
        self._mind.senses.note_settled()

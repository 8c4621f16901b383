"""What the referee keeps from one message to the next. It changes in two places: `follow` for the state, `believe` for the belief.

Senses, books and outbox have their own rules; state, belief and pictures are frozen values that are replaced here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from rig.messages import Call, EmptyView, Fact, FactKind, Tower
from rig.profile import Profile
from rig.referee.agree import Places, agree
from rig.referee.attempts import Attempt, Word
from rig.referee.belief import Belief, Course, certain, missing, trimmed
from rig.referee.book import Book
from rig.referee.outbox import Outbox
from rig.referee.questions import Question
from rig.referee.senses import Senses
from rig.referee.sleeve_attribution import Sleeves
from rig.referee.state import AwaitingAnswer, Lost, Over, Repair, Resting, Settled, SetUp, State, ground, resting
from rig.referee.told import Told
from rig.referee.transitions import Happens, follow
from rig.referee.tunables import TUNED, Tunables


@dataclass(frozen=True, slots=True)
class Pictures:
    """Each camera's picture of the tower as settled (message numbers), when they were taken, and its last one of the empty base."""

    references: Mapping[int, int]
    t_s: float = 0.0
    empty: Mapping[int, EmptyView] = field(default_factory=dict)


class Memory:
    """One rig's game in progress."""

    def __init__(self, profile: Profile, tuned: Tunables = TUNED) -> None:
        self.profile, self.tuned = profile, tuned
        self.senses = Senses(tuple(camera.number for camera in profile.cameras), tuned)
        self.outbox = Outbox()
        self.book = Book(profile.pieces, self.outbox)
        self.told = Told(self.book, self.outbox)
        self.sleeves = Sleeves(tuned)
        self.places = Places()
        self.pictures = Pictures({})
        self.state: State = SetUp()
        self.belief: Belief = certain(self.book.game, Tower())
        self.word: Word | None = None
        """An "abort" that waits for the action it belongs to."""
        self.attempt: Attempt | None = None
        """The latest action that changed nothing, for a word that comes late."""
        self.handled_t_s = -1e9
        """When hands last changed nothing."""
        self.waiting: tuple[tuple[float, Call | int], ...] = ()
        """Calls and presses (a seat) that came while an action was judged: they are heard after it."""
        self.denied: frozenset[int] = frozenset()
        """Seats of which the table has said that they put no column back in the turn that is believed to go on."""
        self.answered: frozenset[int] = frozenset()
        """Occasions of which the table has said which column was put back: it is not asked again."""
        self.withdrawn: tuple[Question, ...] = ()
        """The latest questions that were withdrawn: people may answer them yet."""
        self.acts_since_s = 0.0
        """Since when the told course has waited for the same player to do the same sort of thing."""
        self._waits_for: tuple[object, ...] = ()
        self.t_s = 0.0
        self._occasion = 0

    def note_turn(self) -> None:
        """Notes when the game began to wait for somebody else, or for something else."""
        position = self.book.game.position
        if self._waits_for != (waits_for := (position.phase, position.actor)):
            self._waits_for, self.acts_since_s = waits_for, self.t_s
            self.denied = frozenset(seat for seat in self.denied if seat == position.actor)

    # ------------------------------------------------------------ what is believed

    @property
    def course(self) -> Course:
        """The course that is told."""
        return self.belief.told

    @property
    def tower(self) -> Tower:
        """The tower as believed."""
        return self.belief.told.tower

    def next_occasion(self) -> int:
        self._occasion += 1
        return self._occasion

    @property
    def latest_occasion(self) -> int:
        return self._occasion

    def believe(self, belief: Belief, why: str = "") -> None:
        """From here on this is believed: the books follow, and what is settled is let go."""
        before = self.belief.told
        told = belief.told
        if not self.told.follow(self.t_s, told.tail, belief.marginal, self.tuned.sure, why):
            tower = agree(told.tower, self.book.game.position, self.profile, self.places, missing(told))
            belief = certain(self.book.game, tower, told)
        courses = tuple(replace(c, game=self.book.game) if c.told else c for c in belief.courses)
        self.belief = trimmed(replace(belief, courses=courses))
        self.told.forget(self.belief.occasions)
        told = self.belief.told
        if told.last_deed != before.last_deed and told.last_deed[0] is not None and not self.book.setting_up:
            self._note_sleeves(told.last_deed[0], before.last_deed[1])

    def settle_on(self, tower: Tower) -> None:
        """The books' game and this tower are all that is believed: people said so, or nothing else was possible."""
        told = self.belief.told
        told = replace(told, fallen=tuple(standing for standing in told.fallen if tower.find(standing.column) is None))
        self.belief = certain(self.book.game, tower, told)
        self.told.forget()

    def take_the_books_word(self) -> None:
        """The tower as the books have it after a person's word."""
        course = self.belief.told
        self.settle_on(agree(course.tower, self.book.game.position, self.profile, self.places, missing(course)))

    def acted(self, seat: int | None) -> None:
        """A deed of `seat` was completed now, without a doubt."""
        before = self.belief.told.last_deed[1]
        courses = tuple(replace(course, last_deed=(seat, self.t_s)) for course in self.belief.courses)
        self.belief = replace(self.belief, courses=courses)
        if seat is not None and not self.book.setting_up:
            self._note_sleeves(seat, before)

    def _note_sleeves(self, seat: int, since_t_s: float) -> None:
        if self.belief.told.weight >= self.tuned.sure:
            self.sleeves.note(seat, [hand for hand in self.senses.hands if hand.t_s > since_t_s])

    def tell(self, fact: Fact, events: Iterable[object] = ()) -> None:
        """A fact that is certain, numbered, and its events, entered."""
        if fact.kind is not FactKind.UNCHANGED:
            self.outbox.fact(fact)
        for event in events:
            self.book.enter(self.t_s, event, (fact.id,))  # type: ignore[arg-type]

    # ------------------------------------------------------------ pictures

    def refer_to(self, frames: Mapping[int, int]) -> None:
        """These pictures show the tower as believed."""
        empty = dict(self.pictures.empty)
        if self.tower == Tower():
            poses = {camera: self.senses.eyes[camera].pose for camera in frames}
            empty |= {camera: EmptyView(frame, pose) for camera, frame in frames.items() if (pose := poses[camera]) is not None}
        self.pictures = Pictures({**self.pictures.references, **frames}, self.t_s, empty)

    def forget_pictures(self, camera: int | None = None) -> None:
        """The settled pictures of one camera, or of all, compare with nothing any more."""
        kept = {} if camera is None else {c: n for c, n in self.pictures.references.items() if c != camera}
        self.pictures = replace(self.pictures, references=kept)

    # ------------------------------------------------------------ states

    def follow(self, happens: Happens, state: State) -> None:
        """The next state, if the table has it."""
        self.state = follow(happens, self.state, state)

    def rest(self) -> Resting:
        """Where the game rests as it is believed now; a question that is open stays open, track that is lost stays lost."""
        rest = resting(self.state)
        below = self._ground()
        return replace(rest, rest=below) if isinstance(rest, AwaitingAnswer) else below

    def _ground(self) -> SetUp | Settled | Repair | Lost | Over:
        below = ground(self.state)
        return below if isinstance(below, Lost) and not self.book.over else self.ground_now()

    def ground_now(self) -> SetUp | Settled | Repair | Over:
        """Where the game rests if track is not lost."""
        below = ground(self.state)
        if self.book.over:
            return Over()
        if self.book.setting_up:
            return below if isinstance(below, SetUp) else SetUp()
        columns = missing(self.belief.told)
        return Repair(columns) if columns else Settled()

"""What the doctor found, as values. The JSON of `paletti doctor --json` has their fields as its keys: a contract, only ever added to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spell:
    """Something lasted from `start_s` to `end_s` (seconds of the report's time axis); `what` in words; `to_the_end`: it lasts on."""

    what: str
    start_s: float
    end_s: float
    to_the_end: bool = False

    @property
    def when(self) -> str:
        """In words: "since 17.0 s" or "from 5.9 s to 11.8 s"."""
        return f"since {self.start_s:.1f} s" if self.to_the_end else f"from {self.start_s:.1f} s to {self.end_s:.1f} s"


@dataclass(frozen=True, slots=True)
class ChannelReport:
    """One cell. Units are those of the log (counts or grams).

    `mean`: median of the good samples; `noise`: standard deviation at rest; `drift_per_minute`: of the resting level; `spikes`: bad reads,
    one by one; `slips`: samples at exactly 2, 1/2 or 1/4 of the cell's counts; shares are 0 to 1 of the time or samples; `gaps`: pauses of
    more than 2.5 intervals; `spells`: when the cell was not well; `wrong`: sentences, empty if all is well.
    """

    name: str
    samples: int
    rate_hz: float
    mean: float
    noise: float
    drift_per_minute: float
    spikes: int
    frozen_share: float
    saturated_share: float
    gaps: int
    wrong: tuple[str, ...]
    slips: int = 0
    spells: tuple[Spell, ...] = ()


@dataclass(frozen=True, slots=True)
class ImuReport:
    """The motion chip: rate, length of gravity at rest and its noise (g), shares of clipped samples and of time at rest."""

    samples: int
    rate_hz: float
    gravity_g: float
    noise_g: float
    clipped_share: float
    rest_share: float
    wrong: tuple[str, ...]
    spells: tuple[Spell, ...] = ()


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """Everything found. `seconds`: length of what was examined; `unit` of the cells ("counts", "grams"; "g" of a motion chip's log).

    `link`: sentences about what is wrong with cable and clock; `notes`: about what is only worth knowing; `understood`: what a log's
    columns were taken for; `versions`: name and version of what took part, for a report to others.
    """

    source: str
    seconds: float
    unit: str
    channels: tuple[ChannelReport, ...]
    imu: ImuReport | None
    link: tuple[str, ...]
    notes: tuple[str, ...] = ()
    understood: str = ""
    versions: tuple[str, ...] = ()

    @property
    def wrong(self) -> tuple[str, ...]:
        """All that is wrong, as sentences."""
        found = [f"{channel.name}: {sentence}" for channel in self.channels for sentence in channel.wrong]
        found += [f"motion chip: {sentence}" for sentence in (self.imu.wrong if self.imu else ())]
        return (*found, *self.link)

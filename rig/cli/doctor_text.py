"""The doctor's report as lines of text: a table that fits one screen."""

from __future__ import annotations

from rig.base.doctor.report import ChannelReport, DoctorReport


def report_lines(report: DoctorReport) -> list[str]:
    """The report as a table, without what is wrong. The first line says what was examined, and what a log's columns were taken for."""
    understood = f"; {report.understood}" if report.understood else ""
    lines = [f"{report.source}: {report.seconds:.1f} s, {report.unit}{understood}"]
    if report.channels:
        head = f"{'samples/s':>10}{'level':>12}{'noise':>10}{'drift/min':>11}{'bad':>6}{'slips':>7}{'frozen':>8}{'full':>6}{'gaps':>6}"
        lines.append(f"  {'cell':<14}{head}")
    lines += [_channel(channel) for channel in report.channels]
    if report.imu:
        i = report.imu
        lines.append(
            f"  motion chip: {i.rate_hz:.0f} samples/s, gravity {i.gravity_g:.3f} g, noise {1000 * i.noise_g:.1f} mg, clipped "
            f"{i.clipped_share:.1%}, at rest {i.rest_share:.0%} of the time"
        )
    return lines + [f"  {note}" for note in report.notes]


def _channel(c: ChannelReport) -> str:
    return (
        f"  {c.name:<14}{c.rate_hz:>10.1f}{c.mean:>12.1f}{c.noise:>10.2f}{c.drift_per_minute:>+11.2f}{c.spikes:>6}{c.slips:>7}"
        f"{c.frozen_share:>8.0%}{c.saturated_share:>6.0%}{c.gaps:>6}"
    )

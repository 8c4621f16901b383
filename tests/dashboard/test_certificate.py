"""The certificate: made once, kept, private, and made anew only where it must be."""

from __future__ import annotations

import datetime as dt
import ssl
from pathlib import Path

import pytest

from rig.dashboard.certificate import certificate, user_folder
from rig.errors import PalettiError

NAMES = {"127.0.0.1", "localhost", "192.168.1.7"}


def test_it_is_made_once_and_kept(tmp_path: Path) -> None:
    first = certificate(tmp_path / "paletti", NAMES)
    assert certificate(tmp_path / "paletti", ["localhost"]).fingerprint == first.fingerprint
    assert first.key.stat().st_mode & 0o077 == 0, "nobody else reads the key"
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(first.chain, first.key)


def test_a_new_address_or_an_old_age_makes_another(tmp_path: Path) -> None:
    first = certificate(tmp_path, NAMES)
    key = first.key.read_bytes()
    moved = certificate(tmp_path, {*NAMES, "192.168.1.8"})
    assert moved.fingerprint != first.fingerprint
    later = certificate(tmp_path, NAMES, dt.datetime.now(dt.UTC) + dt.timedelta(days=390))
    assert later.fingerprint != moved.fingerprint
    assert later.key.read_bytes() == key


@pytest.mark.parametrize("spoilt", ["certificate.pem", "key.pem"])
def test_spoilt_files_are_made_anew(tmp_path: Path, spoilt: str) -> None:
    first = certificate(tmp_path, NAMES)
    (tmp_path / spoilt).write_text("nothing")
    if spoilt == "key.pem":
        first.chain.unlink()
    again = certificate(tmp_path, NAMES)
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(again.chain, again.key)


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PalettiError, match="cannot be kept"):
        certificate(tmp_path / "file" / "paletti", NAMES)


def test_the_folder_is_the_user_s() -> None:
    assert user_folder({"XDG_CONFIG_HOME": "/somewhere"}) == Path("/somewhere/paletti")
    assert user_folder({}) == Path.home() / ".config" / "paletti"

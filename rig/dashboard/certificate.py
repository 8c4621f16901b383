"""The certificate by which phones open their page: browsers give a camera to https alone.

It is made at the first start, signed by itself, and kept in the user's configuration folder, so that a phone that was told once to trust
it is not asked again. Nobody else vouches for it: the browser warns, and the page says how to go on. The key never leaves this computer.
"""

from __future__ import annotations

import datetime as dt
import ipaddress
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from rig.errors import PalettiError

LASTS = dt.timedelta(days=397)
"""Safari refuses certificates that are valid for longer than 398 days (CA/Browser Forum, ballot SC31)."""

RENEWED_BEFORE = dt.timedelta(days=14)


@dataclass(frozen=True, slots=True)
class Certificate:
    """Two PEM files, and the SHA-256 fingerprint that a browser shows under `certificate`."""

    chain: Path
    key: Path
    fingerprint: str


def user_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where this user's configuration is kept: `$XDG_CONFIG_HOME/paletti`, else `~/.config/paletti`; `%APPDATA%\\paletti` on Windows."""
    base = environment.get("XDG_CONFIG_HOME") or environment.get("APPDATA")
    return (Path(base) if base else Path.home() / ".config") / "paletti"


def certificate(folder: Path, names: Iterable[str], now: dt.datetime | None = None) -> Certificate:
    """The certificate kept in `folder`, for at least these names and addresses; made there if there is none that is good.

    A new address gets a new certificate (same key), because a phone's browser would warn twice otherwise. PalettiError where the folder
    cannot be written.
    """
    now = now or dt.datetime.now(dt.UTC)
    wanted = sorted({name.lower() for name in names})
    chain, key = folder / "certificate.pem", folder / "key.pem"
    try:
        kept = _kept(chain)
        if kept is None or not key.exists() or kept.not_valid_after_utc < now + RENEWED_BEFORE or not set(wanted) <= _names_in(kept):
            folder.mkdir(parents=True, exist_ok=True)
            kept = _signed(_key(key), wanted, now)
            chain.write_bytes(kept.public_bytes(serialization.Encoding.PEM))
    except OSError as error:
        raise PalettiError(
            f"The certificate for https cannot be kept in {folder}: {error.strerror or error}.",
            "Make that folder writable, or set XDG_CONFIG_HOME to one that is.",
        ) from error
    return Certificate(chain, key, kept.fingerprint(hashes.SHA256()).hex(":", 1).upper())


def _kept(chain: Path) -> x509.Certificate | None:
    try:
        return x509.load_pem_x509_certificate(chain.read_bytes())
    except (FileNotFoundError, ValueError):
        return None


def _key(path: Path) -> ec.EllipticCurvePrivateKey:
    """The key in `path`, which only this user can read; a new one if it is missing or spoilt."""
    if path.exists():
        try:
            kept = serialization.load_pem_private_key(path.read_bytes(), None)
            if isinstance(kept, ec.EllipticCurvePrivateKey):
                return kept
        except ValueError:
            pass
    key = ec.generate_private_key(ec.SECP256R1())
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(pem)
    return key


def _signed(key: ec.EllipticCurvePrivateKey, names: Iterable[str], now: dt.datetime) -> x509.Certificate:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Villa Paletti")])
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + LASTS)
        .add_extension(x509.SubjectAlternativeName([_general(name) for name in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name.partition("%")[0]))
    except ValueError:
        return x509.DNSName(name.encode("idna").decode() if not name.isascii() else name)


def _names_in(kept: x509.Certificate) -> set[str]:
    try:
        found = kept.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return set()
    return {str(one.value).lower() for one in found}

"""Authentication within a cluster: by certificates of its authority, or by a shared secret from which they are made.

Dask runs whatever a client sends, so all three parties of a cluster (scheduler, workers, nodes) have to prove who they
are. For this Dask supports certificates on both sides of every connection. A shared secret replaces the files: the key
of the authority is derived from it, and each process issues its own certificate.
"""

from datetime import UTC, datetime
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from logboom.control.documents.secrets import read_secret
from logboom.engine.cluster.access import ClusterAccess

KEY_BYTES = 32
PURPOSE = b"logboom: authority of a cluster"
AUTHORITY, MEMBER = "logboom cluster", "logboom cluster member"
FIRST_DAY, LAST_DAY = datetime(2020, 1, 1, tzinfo=UTC), datetime(2120, 1, 1, tzinfo=UTC)
"""Effectively unlimited: access is revoked by replacing the secret, not by expiry."""


class Certificates(NamedTuple):
    """The authority, a certificate issued by it and its key: files or PEM texts."""

    authority: str
    certificate: str
    key: str


def find_certificates(access: ClusterAccess) -> Certificates | None:
    """Return the certificates, or None if connections are neither encrypted nor authenticated."""
    if access.secret_path:
        return issue_certificates(read_secret(access.secret_path))
    return Certificates(*map(str, access.files)) if access.files else None


def issue_certificates(secret: bytes) -> Certificates:
    """Return a new certificate of the authority that is derived from the secret."""
    derived = HKDF(hashes.SHA256(), KEY_BYTES, salt=None, info=PURPOSE).derive(secret)
    authority_key, own_key = (
        Ed25519PrivateKey.from_private_bytes(derived),
        Ed25519PrivateKey.generate(),
    )
    authority = sign(AUTHORITY, authority_key, authority_key, is_authority=True)
    own = sign(MEMBER, own_key, authority_key, is_authority=False)
    key = own_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return Certificates(authority, own, key.decode())


def sign(
    name: str, key: Ed25519PrivateKey, authority_key: Ed25519PrivateKey, *, is_authority: bool
) -> str:
    certificate = (
        x509.CertificateBuilder()
        .subject_name(make_name(name))
        .issuer_name(make_name(AUTHORITY))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(FIRST_DAY)
        .not_valid_after(LAST_DAY)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .sign(authority_key, None)
    )
    return certificate.public_bytes(Encoding.PEM).decode()


def make_name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])

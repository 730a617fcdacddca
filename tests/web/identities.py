"""Self-signed certificates and their keys, in files."""

import datetime
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(days=1)


class Identity(NamedTuple):
    """A certificate and its key, in files."""

    certificate: Path
    key: Path

    @property
    def serial(self) -> int:
        return x509.load_pem_x509_certificate(self.certificate.read_bytes()).serial_number

    def replace(self, other: "Identity") -> None:
        """Replace it by another one, as a renewal does."""
        other.key.replace(self.key)
        other.certificate.replace(self.certificate)


def make_identity(
    directory: Path, name: str, lock: KeySerializationEncryption | None = None
) -> Identity:
    """Return a self-signed certificate for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - DAY)
        .not_valid_after(now + DAY)
        .add_extension(address, critical=False)
        .sign(key, hashes.SHA256())
    )
    identity = Identity(directory / f"{name}.pem", directory / f"{name}.key")
    identity.certificate.write_bytes(certificate.public_bytes(Encoding.PEM))
    content = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock or NoEncryption())
    identity.key.write_bytes(content)
    return identity


def read_serial(certificate: bytes) -> int:
    """Return the serial number of a certificate as a connection shows it."""
    return x509.load_der_x509_certificate(certificate).serial_number

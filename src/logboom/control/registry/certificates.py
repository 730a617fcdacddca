"""Certificates of identity providers. Imported only where needed, because the library is slow to load."""

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding

from logboom.base.errors import Invalid

FEWEST_RSA_BITS = 2048
CURVES = (ec.SECP256R1, ec.SECP384R1, ec.SECP521R1)


def normalise_certificate(text: str) -> str:
    """Return a certificate as PEM text, also if it was given without the BEGIN and END lines."""
    body = text.strip()
    if not body.startswith("-----BEGIN CERTIFICATE-----"):
        body = f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----"
    try:
        (certificate,) = x509.load_pem_x509_certificates(body.encode())
        key = certificate.public_key()
    except (ValueError, TypeError) as error:
        raise Invalid("a certificate cannot be read, expected one in PEM form") from error
    is_strong = isinstance(key, ec.EllipticCurvePublicKey) and isinstance(key.curve, CURVES)
    if isinstance(key, rsa.RSAPublicKey):
        is_strong = key.key_size >= FEWEST_RSA_BITS
    if not is_strong:
        raise Invalid(
            f"the key of a certificate is too weak, expected RSA of {FEWEST_RSA_BITS} bits or more, or P-256, P-384 or P-521"
        )
    return certificate.public_bytes(Encoding.PEM).decode()

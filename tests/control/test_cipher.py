"""Sealed documents open only unaltered, under their own name, with their own key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logboom.base.errors import Corrupt, Unavailable
from logboom.control.documents.cipher import AesCipher, Cipher, PlainCipher

KEY = bytes(range(32))
NAME = "control/users/000000000007"
BODY = b'{"users":{}}'
CIPHERS = [AesCipher(KEY), PlainCipher()]


@pytest.mark.parametrize("cipher", CIPHERS)
@given(body=st.binary(max_size=300))
def test_what_is_sealed_opens(cipher: Cipher, body: bytes) -> None:
    assert cipher.unseal(NAME, cipher.seal(NAME, body)) == body


@pytest.mark.parametrize("cipher", CIPHERS)
def test_every_flipped_byte_is_noticed(cipher: Cipher) -> None:
    sealed = cipher.seal(NAME, BODY)
    for offset in range(len(sealed)):
        for flip in (0x01, 0x80, 0xFF):
            damaged = bytearray(sealed)
            damaged[offset] ^= flip
            with pytest.raises(Corrupt, match=NAME):
                cipher.unseal(NAME, bytes(damaged))


@pytest.mark.parametrize("cipher", CIPHERS)
def test_every_truncation_and_any_appendix_is_noticed(cipher: Cipher) -> None:
    sealed = cipher.seal(NAME, BODY)
    for damaged in [*(sealed[:size] for size in range(len(sealed))), sealed + b"\0"]:
        with pytest.raises(Corrupt, match=NAME):
            cipher.unseal(NAME, damaged)


@pytest.mark.parametrize("cipher", CIPHERS)
@pytest.mark.parametrize(
    "place",
    [
        "control/environments/000000000007",
        "control/users/000000000008",
        "control/users/000000000006",
    ],
)
def test_a_document_in_another_place_does_not_open(cipher: Cipher, place: str) -> None:
    with pytest.raises(Corrupt, match=place):
        cipher.unseal(place, cipher.seal(NAME, BODY))


def test_another_key_does_not_open_it() -> None:
    with pytest.raises(Corrupt, match="another control key"):
        AesCipher(bytes(32)).unseal(NAME, AesCipher(KEY).seal(NAME, BODY))


def test_encryption_hides_the_body_and_never_repeats_itself() -> None:
    cipher = AesCipher(KEY)
    sealed = {cipher.seal(NAME, BODY) for _ in range(100)}
    assert len(sealed) == 100
    assert not any(b"users" in each for each in sealed)


def test_the_plain_form_can_be_read_by_eye() -> None:
    assert PlainCipher().seal(NAME, BODY).splitlines()[-1] == BODY


def test_the_wrong_setting_is_named_either_way() -> None:
    with pytest.raises(Unavailable, match="is encrypted, but SERVICE_CONTROL_ENCRYPTION is off"):
        PlainCipher().unseal(NAME, AesCipher(KEY).seal(NAME, BODY))
    with pytest.raises(Unavailable, match="is not encrypted, but SERVICE_CONTROL_ENCRYPTION is on"):
        AesCipher(KEY).unseal(NAME, PlainCipher().seal(NAME, BODY))

"""Makes tokens by hand: what no library would sign, and what every library signs."""

import base64
import hashlib
import hmac
import json
import time

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

HASHES = {"256": hashes.SHA256, "384": hashes.SHA384, "512": hashes.SHA512}
#: The bytes of a number of a curve, and its order.
CURVES = {
    "ES256": (32, 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551),
    "ES384": (48, None),
    "ES512": (66, None),
}


def encode(data):
    """Base64url without padding."""
    if not isinstance(data, bytes):
        data = json.dumps(data, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def claims(**others):
    """Claims that are accepted; None takes one away."""
    now = int(time.time())
    all_claims = {
        "iss": "https://id.example.com", "aud": "clarion", "sub": "ann", "iat": now, "exp": now + 600,
        "clarion": {"publish": ["orders.*"], "subscribe": ["**"]}, **others,
    }
    return {name: value for name, value in all_claims.items() if value is not None}


def raw_signature(algorithm, key, data):
    """The signature as RFC 7518 and RFC 8037 say."""
    digest = HASHES.get(algorithm[2:])
    if algorithm.startswith("HS"):
        return hmac.new(key, data, getattr(hashlib, f"sha{algorithm[2:]}")).digest()
    if algorithm.startswith("RS"):
        return key.sign(data, padding.PKCS1v15(), digest())
    if algorithm.startswith("PS"):
        return key.sign(data, padding.PSS(padding.MGF1(digest()), digest().digest_size), digest())
    if algorithm.startswith("ES"):
        length, _ = CURVES[algorithm]
        r, s = decode_dss_signature(key.sign(data, ec.ECDSA(digest())))
        return r.to_bytes(length, "big") + s.to_bytes(length, "big")
    return key.sign(data)


def signed(algorithm, key, payload, header=None, as_algorithm=None):
    """A token. `header` is added to what says the algorithm, or stands for it all if it is text."""
    if not isinstance(header, str):
        header = encode({"alg": as_algorithm or algorithm, **(header or {})})
    if not isinstance(payload, str):
        payload = encode(payload)
    data = f"{header}.{payload}".encode()
    return f"{data.decode()}.{encode(raw_signature(algorithm, key, data))}"


def public_pem(key):
    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def public_der(key, form=serialization.PublicFormat.SubjectPublicKeyInfo):
    return key.public_key().public_bytes(serialization.Encoding.DER, form)


def number(value, length=None):
    return encode(value.to_bytes(length or (value.bit_length() + 7) // 8, "big"))


def jwk(key, **members):
    """The public key as an element of a key set."""
    public = key.public_key()
    if isinstance(key, rsa.RSAPrivateKey):
        numbers = public.public_numbers()
        return {"kty": "RSA", "n": number(numbers.n), "e": number(numbers.e), **members}
    if isinstance(key, ed25519.Ed25519PrivateKey):
        raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        return {"kty": "OKP", "crv": "Ed25519", "x": encode(raw), **members}
    length = (key.curve.key_size + 7) // 8
    numbers = public.public_numbers()
    return {
        "kty": "EC", "crv": f"P-{key.curve.key_size}", "x": number(numbers.x, length), "y": number(numbers.y, length),
        **members,
    }

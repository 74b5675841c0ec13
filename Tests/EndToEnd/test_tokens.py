"""Tokens that are hostile, odd or plain: what is refused, and why, and what is accepted.

All go through one `clarion token inspect` each test, which judges as a hub does."""

import json
import subprocess
import time

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from jwcrypto import jwk as jose_keys
from jwcrypto import jwt as jose

import tokens
from tokens import claims, encode, signed

SECRET = bytes(range(64))

FAMILIES = {
    "RS256": "rsa", "RS384": "rsa", "RS512": "rsa", "PS256": "rsa", "PS384": "rsa", "PS512": "rsa", "ES256": "p256",
    "ES384": "p384", "ES512": "p521", "EdDSA": "ed", "HS256": "secret", "HS384": "secret", "HS512": "secret",
}


@pytest.fixture(scope="module")
def keys():
    return {
        "rsa": rsa.generate_private_key(65537, 2048),
        "weak": rsa.generate_private_key(65537, 1024),
        "p256": ec.generate_private_key(ec.SECP256R1()),
        "p384": ec.generate_private_key(ec.SECP384R1()),
        "p521": ec.generate_private_key(ec.SECP521R1()),
        "ed": ed25519.Ed25519PrivateKey.generate(),
        "stranger": rsa.generate_private_key(65537, 2048),
        "stranger256": ec.generate_private_key(ec.SECP256R1()),
        "secret": SECRET,
    }


class Judge:
    """`clarion token inspect` with a credentials file."""

    def __init__(self, executable, folder, issuers, key_set, **others):
        self.executable = executable
        self.file = folder / "credentials.json"
        (folder / "keys.json").write_text(json.dumps({"keys": key_set}))
        (folder / "hmac.key").write_bytes(tokens.base64.encodebytes(SECRET))
        self.file.write_text(json.dumps({"jwt": issuers, **others}))

    def __call__(self, named):
        """What is said of each token: `{"accepted"}` or the reason, by the names of the tokens."""
        text = "".join(f"{token}\n" for token in named.values())
        result = subprocess.run(
            [self.executable, "token", "inspect", "--credentials", self.file], input=text, capture_output=True, text=True,
            timeout=120)
        assert result.returncode in (0, 1), result.stderr
        verdicts = [line for line in result.stdout.splitlines() if line.startswith(("accepted ", "refused "))]
        assert len(verdicts) == len(named), result.stdout + result.stderr
        return {name: verdict(line) for name, line in zip(named, verdicts)}

    def refuses(self, named, reason):
        said = self(named)
        assert said == {name: reason for name in named}

    def accepts(self, named):
        self.refuses(named, "accepted")


def verdict(line):
    word, rest = line.split(None, 1)
    return "accepted" if word == "accepted" else rest.split(":")[0]


def issuer(**others):
    entry = {
        "issuer": "https://id.example.com", "audience": "clarion", "algorithms": list(FAMILIES), "jwks": "file:keys.json",
        "secretFile": "hmac.key", **others,
    }
    return {name: value for name, value in entry.items() if value is not None}


@pytest.fixture(scope="module")
def key_set(keys):
    return [tokens.jwk(keys[name], kid=name) for name in ("rsa", "weak", "p256", "p384", "p521", "ed")]


@pytest.fixture
def judge(executable, tmp_path, key_set):
    """Believes every key of the tests with every algorithm, so that nothing is refused for its algorithm alone."""
    return Judge(executable, tmp_path, [issuer()], key_set)


@pytest.fixture
def good(keys):
    """A token that is accepted."""
    return signed("RS256", keys["rsa"], claims(), {"kid": "rsa"})


def test_every_algorithm(judge, keys):
    judge.accepts({
        f"{algorithm} {named}": signed(algorithm, keys[family], claims(), {"kid": family} if named else {})
        for algorithm, family in FAMILIES.items() for named in (True, False)
    })


@pytest.mark.parametrize("in_settings", ["EdDSA", "Ed25519"])
@pytest.mark.parametrize("in_key", ["EdDSA", "Ed25519", None])
def test_both_names_of_edwards_signatures(executable, tmp_path, keys, in_settings, in_key):
    """RFC 9864 calls by its curve what RFC 8037 called EdDSA."""
    key = tokens.jwk(keys["ed"], kid="ed", **({"alg": in_key} if in_key else {}))
    judge = Judge(executable, tmp_path, [issuer(algorithms=[in_settings], secretFile=None)], [key])
    judge.accepts({name: signed("EdDSA", keys["ed"], claims(), {"kid": "ed"}, as_algorithm=name) for name in ("EdDSA", "Ed25519")})
    judge.refuses({"another curve": signed("EdDSA", keys["ed"], claims(), {"kid": "ed"}, as_algorithm="Ed448")}, "algorithm not allowed")


def test_what_libraries_sign(judge, keys):
    def pem(name):
        return keys[name].private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())

    made = {}
    for algorithm, family in FAMILIES.items():
        key = SECRET if family == "secret" else pem(family)
        made[f"pyjwt {algorithm}"] = jwt.encode(claims(), key, algorithm, headers={"kid": family})
        key = jose_keys.JWK(kty="oct", k=encode(SECRET)) if family == "secret" else jose_keys.JWK.from_pem(pem(family))
        token = jose.JWT(header={"alg": algorithm, "kid": family, "typ": "JWT"}, claims=claims())
        token.make_signed_token(key)
        made[f"jwcrypto {algorithm}"] = token.serialize()
    judge.accepts(made)


def test_no_signature(judge, keys, good):
    header, payload, signature = good.split(".")
    nones = ["none", "None", "NONE", "nOnE", "none ", "", "null", "\x00"]
    judge.refuses({
        **{f"alg {name!r}": f"{encode({'alg': name})}.{payload}." for name in nones},
        **{f"alg {name!r} signed": f"{encode({'alg': name})}.{payload}.{signature}" for name in nones},
    }, "algorithm not allowed")
    judge.refuses({
        f"{algorithm} without": f"{encode({'alg': algorithm, 'kid': family})}.{payload}."
        for algorithm, family in FAMILIES.items()
    }, "bad signature")


def test_one_family_never_stands_for_another(judge, keys):
    rsa_key, curve = keys["rsa"], keys["p256"]
    pkcs1 = serialization.PublicFormat.PKCS1
    secrets = {
        "PEM": tokens.public_pem(rsa_key),
        "PEM without its last line break": tokens.public_pem(rsa_key).rstrip(),
        "DER": tokens.public_der(rsa_key),
        "PKCS1": tokens.public_der(rsa_key, pkcs1),
        "JWK": json.dumps(tokens.jwk(rsa_key, kid="rsa")).encode(),
        "JWK compact": json.dumps(tokens.jwk(rsa_key, kid="rsa"), separators=(",", ":")).encode(),
        "n": tokens.jwk(rsa_key)["n"].encode(),
        "n as bytes": tokens.decode(tokens.jwk(rsa_key)["n"]),
        "a curve's PEM": tokens.public_pem(curve),
        "x": tokens.decode(tokens.jwk(curve)["x"]),
        "Ed25519's x": tokens.decode(tokens.jwk(keys["ed"])["x"]),
        "nothing": b"",
    }
    judge.refuses({
        f"{algorithm} with {name}, kid {kid}": signed(algorithm, secret, claims(), {"kid": kid} if kid else {})
        for algorithm in ("HS256", "HS384", "HS512") for name, secret in secrets.items() for kid in ("rsa", None)
    }, "bad signature")
    # Rightly signed, but labelled as another algorithm of the same family, or of another one.
    judge.refuses({
        f"{algorithm} as {label}": signed(algorithm, keys[family], claims(), as_algorithm=label)
        for algorithm, family in FAMILIES.items() for label in FAMILIES if label != algorithm
    }, "bad signature")


def test_a_key_is_used_for_what_it_says(executable, tmp_path, keys):
    def token(algorithm, name, kid):
        return signed(algorithm, keys[name], claims(), {"kid": kid})

    judge = Judge(executable, tmp_path, [issuer(secretFile=None)], [
        tokens.jwk(keys["rsa"], kid="RS256 only", alg="RS256", use="sig"),
        tokens.jwk(keys["rsa"], kid="PS only", alg="PS256", key_ops=["verify"]),
        tokens.jwk(keys["rsa"], kid="to encrypt", use="enc"),
        tokens.jwk(keys["rsa"], kid="to wrap", key_ops=["wrapKey", "encrypt"]),
        tokens.jwk(keys["rsa"], kid="with OAEP", alg="RSA-OAEP"),
        tokens.jwk(keys["rsa"], kid="for HMAC", alg="HS256"),
        tokens.jwk(keys["weak"], kid="weak"),
        tokens.jwk(keys["p256"], kid="wrong curve", crv="P-384"),
        {**tokens.jwk(keys["p256"], kid="off curve"), "y": tokens.jwk(keys["p256"])["x"]},
        {**tokens.jwk(keys["p256"], kid="long"), "x": encode(b"\0" + tokens.decode(tokens.jwk(keys["p256"])["x"]))},
        {"kty": "oct", "k": encode(SECRET), "kid": "secret", "alg": "HS256"},
        {"kty": "new", "kid": "new"},
        {"kid": "without kty"},
        "no key", None, 7, {},
    ])
    judge.accepts({"RS256": token("RS256", "rsa", "RS256 only"), "PS256": token("PS256", "rsa", "PS only")})
    judge.refuses({
        "PS256 with a key for RS256": token("PS256", "rsa", "RS256 only"),
        "RS512 with a key for RS256": token("RS512", "rsa", "RS256 only"),
        "RS256 with a key for PS256": token("RS256", "rsa", "PS only"),
        **{kid: token("RS256", "rsa", kid) for kid in ("to encrypt", "to wrap", "with OAEP", "for HMAC", "new")},
        "1024 bits": token("RS256", "weak", "weak"),
        **{kid: token("ES256", "p256", kid) for kid in ("wrong curve", "off curve", "long")},
        "a shared secret in a key set": token("HS256", "secret", "secret"),
    }, "unknown")


def test_signatures_that_look_like_some(judge, keys, good):
    header, payload = encode({"alg": "ES256", "kid": "p256"}), encode(claims())
    data = f"{header}.{payload}".encode()
    length, order = tokens.CURVES["ES256"]
    real = tokens.raw_signature("ES256", keys["p256"], data)
    r, s = int.from_bytes(real[:length], "big"), int.from_bytes(real[length:], "big")

    def pair(first, second):
        return first.to_bytes(length, "big") + second.to_bytes(length, "big")

    signatures = {
        "(0, 0)": pair(0, 0), "(0, s)": pair(0, s), "(r, 0)": pair(r, 0), "(1, 1)": pair(1, 1),
        "(n, n)": pair(order, order), "(n, s)": pair(order, s), "(r, n)": pair(r, order),
        "(n - 1, 1)": pair(order - 1, 1), "all ones": b"\xff" * 64,
        "DER": encode_dss_signature(r, s), "too short": real[:-1], "too long": real + b"\0", "half": real[:32],
        "turned round": real[32:] + real[:32], "twice": real + real, "zeros before": b"\0" + real, "one byte": b"\0",
        "wider numbers": r.to_bytes(48, "big") + s.to_bytes(48, "big"),
    }
    if r + order < 1 << 256:
        signatures["(r + n, s)"] = pair(r + order, s)
    named = {f"ES256 {name}": f"{data.decode()}.{encode(signature)}" for name, signature in signatures.items()}
    for algorithm, family in FAMILIES.items():
        head, body, signature = signed(algorithm, keys[family], claims(), {"kid": family}).split(".")
        raw = bytearray(tokens.decode(signature))
        for place in (0, len(raw) // 2, len(raw) - 1):
            changed = raw.copy()
            changed[place] ^= 1
            named[f"{algorithm} bit of {place}"] = f"{head}.{body}.{encode(bytes(changed))}"
        named[f"{algorithm} zeros"] = f"{head}.{body}.{encode(bytes(len(raw)))}"
        named[f"{algorithm} shorter"] = f"{head}.{body}.{encode(bytes(raw[:-1]))}"
        named[f"{algorithm} longer"] = f"{head}.{body}.{encode(bytes(raw) + bytes(1))}"
        named[f"{algorithm} of another"] = f"{head}.{encode(claims(sub='eve'))}.{signature}"
        other_header = encode({"alg": algorithm, "kid": family, "x": 1})
        named[f"{algorithm} of another header"] = f"{other_header}.{body}.{signature}"
    # (r, n - s) is a signature, too, by the rules of ECDSA; a token has no identity that this could harm.
    judge.accepts({"(r, n - s)": f"{data.decode()}.{encode(pair(r, order - s))}"})
    judge.refuses(named, "bad signature")


def test_texts_that_are_no_token(judge, keys, good):
    header, payload, signature = good.split(".")
    spaced = json.dumps(claims(), indent=2)
    # One text that decodes to the same bytes if left-over bits are not looked at.
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    assert len(signature) % 4 == 2
    loose = signature[:-1] + alphabet[alphabet.index(signature[-1]) ^ 1]
    raw = encode(claims())
    texts = {
        "two parts": f"{header}.{payload}", "one part and a dot": f"{header}.", "four parts": f"{good}.{signature}",
        "five parts": f"{header}....", "dots": "..", "more dots": "." * 100, "empty claims": f"{header}..{signature}",
        "empty header": f".{payload}.{signature}", "padded": f"{good}==", "padded header": f"{header}=.{payload}.{signature}",
        "left-over bits": f"{header}.{payload}.{loose}", "one letter": f"{header}.{payload}.A",
        "a space before": f" {good}", "a space after": f"{good} ", "a tab": good.replace(".", ".\t", 1),
        "plus and slash": f"{header}.{payload}.{signature[:-2]}+/", "not ASCII": f"{good}é", "NUL": f"{good}\0",
        "truncated header": f"{header[:9]}.{payload}.{signature}",
        "quoted": f'"{good}"', "Bearer": f"Bearer {good}",
        "header is a list": signed("RS256", keys["rsa"], claims(), encode(["alg", "RS256"])),
        "header is a text": signed("RS256", keys["rsa"], claims(), encode("RS256")),
        "header is no JSON": signed("RS256", keys["rsa"], claims(), encode(b"{alg:RS256}")),
        "header with a comma": signed("RS256", keys["rsa"], claims(), encode(b'{"alg":"RS256",}')),
        "header with a mark": signed("RS256", keys["rsa"], claims(), encode(b'\xef\xbb\xbf{"alg":"RS256"}')),
        "two algorithms": signed("RS256", keys["rsa"], claims(), encode(b'{"alg":"none","alg":"RS256"}')),
        "two algorithms, one escaped": signed("RS256", keys["rsa"], claims(), encode(b'{"\\u0061lg":"none","alg":"RS256"}')),
        "two kids": signed("RS256", keys["rsa"], claims(), encode(b'{"alg":"RS256","kid":"rsa","kid":"p256"}')),
        "no algorithm": signed("RS256", keys["rsa"], claims(), encode({"typ": "JWT"})),
        "algorithm is a list": signed("RS256", keys["rsa"], claims(), encode({"alg": ["RS256"]})),
        "kid is a number": signed("RS256", keys["rsa"], claims(), {"kid": 1}),
        "kid is null": signed("RS256", keys["rsa"], claims(), {"kid": None}),
        "crit": signed("RS256", keys["rsa"], claims(), {"crit": ["exp"], "exp": 1}),
        "crit empty": signed("RS256", keys["rsa"], claims(), {"crit": []}),
        "crit null": signed("RS256", keys["rsa"], claims(), {"crit": None}),
        "b64 false": signed("RS256", keys["rsa"], claims(), {"b64": False, "crit": ["b64"]}),
        "b64 without crit": signed("RS256", keys["rsa"], claims(), {"b64": False}),
        "claims are a token": signed("RS256", keys["rsa"], encode(good.encode()), {"cty": "JWT"}),
        "claims are a list": signed("RS256", keys["rsa"], encode([claims()])),
        "claims are nothing": signed("RS256", keys["rsa"], encode(b"")),
        "claims and more": signed("RS256", keys["rsa"], encode(json.dumps(claims()).encode() + b"{}")),
        "claims with NUL": signed("RS256", keys["rsa"], encode(json.dumps(claims()).encode() + b"\0")),
        "claims not UTF-8": signed("RS256", keys["rsa"], encode(b'{"sub":"\xff"}')),
        "claims in UTF-16": signed("RS256", keys["rsa"], encode(json.dumps(claims()).encode("utf-16"))),
        "half a surrogate": signed("RS256", keys["rsa"], encode(b'{"sub":"\\ud800"}')),
        "two exps": signed("RS256", keys["rsa"], encode(b'{"exp":1,"exp":99999999999}')),
        "deep": signed("RS256", keys["rsa"], encode(b'{"a":' + b"[" * 2000 + b"]" * 2000 + b"}")),
        "too long": signed("RS256", keys["rsa"], claims(more="x" * 8000)),
        "encrypted": f"{encode({'alg': 'RSA-OAEP', 'enc': 'A256GCM'})}.{payload}.{payload}.{payload}.{signature}",
    }
    judge.refuses(texts, "malformed")
    judge.refuses({"the header alone": header, "a word": "null", "dashes": "----", "a key": "clk_" + "0" * 32}, "unknown")
    # White space inside JSON is nobody's business.
    judge.accepts({"spaced claims": signed("RS256", keys["rsa"], encode(spaced.encode())), "plain": good, "raw": signed(
        "RS256", keys["rsa"], raw)})


def test_keys_that_tokens_bring_along(judge, keys):
    stranger = keys["stranger"]
    public = tokens.jwk(stranger, kid="stranger")
    headers = {
        "jwk": {"jwk": public}, "jwk and kid": {"jwk": {**public, "kid": "rsa"}, "kid": "rsa"},
        "jku": {"jku": "http://127.0.0.1:9/keys.json"}, "jku file": {"jku": "file:///etc/passwd", "kid": "rsa"},
        "x5u": {"x5u": "http://127.0.0.1:9/x"}, "x5c": {"x5c": [encode(tokens.public_der(stranger))]},
        "x5t": {"x5t": "AAAA", "x5t#S256": "AAAA"},
    }
    judge.refuses({name: signed("RS256", stranger, claims(), header) for name, header in headers.items()}, "bad signature")
    # They are not looked at; whoever signed rightly may carry them.
    judge.accepts({name: signed("RS256", keys["rsa"], claims(), header) for name, header in headers.items()})


def test_names_of_keys(judge, keys):
    names = [
        "../../../../dev/null", "/etc/passwd", "file:keys.json", "rsa' OR '1'='1", "RSA", "rsa ", "rsa\0", "", "0", "*", "**",
        "r\u200bsa", "ｒｓａ", "x" * 3000, "%72sa", "$(id)",
    ]
    judge.refuses({repr(name): signed("RS256", keys["rsa"], claims(), {"kid": name}) for name in names}, "unknown")
    judge.refuses({
        "another's": signed("RS256", keys["rsa"], claims(), {"kid": "p256"}),
        "of another curve": signed("ES256", keys["p256"], claims(), {"kid": "p384"}),
        "the weak one's": signed("RS256", keys["weak"], claims(), {"kid": "weak"}),
    }, "unknown")


def test_times(judge, keys):
    now = int(time.time())

    def made(**others):
        return signed("HS256", SECRET, claims(**others))

    def literal(text, name="exp"):
        body = json.dumps(claims(**{name: 7})).replace(f'"{name}": 7', f'"{name}": {text}')
        assert text in body
        return signed("HS256", SECRET, encode(body.encode()))

    judge.accepts({
        "within the minute": made(exp=now - 30), "a fraction": made(exp=now + 0.5), "far": made(exp=1 << 62),
        "farther": made(exp=1 << 64), "beyond": literal("1e308"), "2e30": literal("2e30"), "with an exponent": literal("9.9e11"),
        "nbf now": made(nbf=now), "nbf within the minute": made(nbf=now + 30), "nbf negative": made(nbf=-1),
        "nbf far back": literal("-1e308", "nbf"), "nbf zero": made(nbf=0), "nbf minus zero": literal("-0.0", "nbf"),
        "iat ahead": made(iat=now + 3600), "no iat": made(iat=None), "iat far": literal("1e308", "iat"),
    })
    judge.refuses({
        "long ago": made(exp=now - 90), "just over a minute": made(exp=now - 62), "zero": made(exp=0), "one": made(exp=1),
        "negative": made(exp=-1), "very negative": literal("-1e308"), "minus zero": literal("-0"), "tiny": literal("1e-300"),
        "least": made(exp=-(1 << 63)), "below": made(exp=-(1 << 65)),
    }, "expired")
    judge.refuses({
        "soon": made(nbf=now + 90), "later": made(nbf=now + 3600), "beyond": literal("1e308", "nbf"),
        "2^63": made(nbf=1 << 63), "not yet, though long expired": made(nbf=now + 90, exp=now - 600),
    }, "not yet valid")
    others = ['"1e9"', '"9999999999"', "true", "[9999999999]", '{"a":1}', "null", '""']
    judge.refuses({
        **{f"{name} {text}": literal(text, name) for name in ("exp", "nbf", "iat") for text in others},
        **{f"exp {text}": literal(text) for text in ("NaN", "Infinity", "-Infinity", "1e400", "0x7fffffff", "+1", "1_000")},
        **{f"exp {text}": literal(text) for text in ("01", ".5", "1.", "1e", "--1", "9" * 400)},
        "none": made(exp=None),
    }, "malformed")


def test_without_expiry(executable, tmp_path, key_set):
    judge = Judge(executable, tmp_path, [issuer(requireExpiry=False)], key_set)
    judge.accepts({"never": signed("HS256", SECRET, claims(exp=None))})
    judge.refuses({"expired all the same": signed("HS256", SECRET, claims(exp=1))}, "expired")


def test_issuers(judge, keys):
    def made(value):
        return signed("HS256", SECRET, claims(iss=value))

    near = [
        "https://id.example.com/", "https://ID.example.com", "HTTPS://id.example.com", "http://id.example.com", "",
        "https://id.example.com\0", " https://id.example.com", "https://id.example.com.evil.example", "id.example.com",
        "https://id.exampl\u0435.com", "https://id.example.com\u200b",
    ]
    judge.refuses({repr(value): made(value) for value in near}, "wrong issuer")
    judge.refuses({"none": made(None)}, "wrong issuer")
    judge.refuses({repr(value): made(value) for value in (["https://id.example.com"], 7, {"a": 1}, True)}, "malformed")


def test_audiences(judge, keys):
    def made(value):
        return signed("HS256", SECRET, claims(aud=value))

    judge.accepts({repr(value): made(value) for value in (
        "clarion", ["clarion"], ["other", "clarion"], ["clarion", "clarion"], ["x"] * 100 + ["clarion"])})
    judge.refuses({repr(value): made(value) for value in (
        "Clarion", "clarion ", "", [], ["other"], ["clarion2"], "clarion other", "clarion,other", None)}, "wrong audience")
    judge.refuses({repr(value): made(value) for value in (7, {"clarion": 1}, ["clarion", 7], [["clarion"]], True)}, "malformed")


def test_names_are_compared_byte_by_byte(executable, tmp_path, key_set):
    """`é` in one code point and in two are the same to Swift's `==`, and to no other verifier."""
    composed, decomposed = "https://caf\u00e9.example", "https://cafe\u0301.example"
    judge = Judge(executable, tmp_path, [issuer(issuer=composed, audience="\u00e9")], key_set)
    judge.accepts({"as it is": signed("HS256", SECRET, claims(iss=composed, aud="\u00e9"))})
    judge.refuses({"iss": signed("HS256", SECRET, claims(iss=decomposed, aud="\u00e9"))}, "wrong issuer")
    judge.refuses({"aud": signed("HS256", SECRET, claims(iss=composed, aud="e\u0301"))}, "wrong audience")


def test_rights(judge, keys):
    def made(value):
        return signed("HS256", SECRET, claims(clarion=value))

    judge.accepts({repr(value): made(value) for value in (
        None, {}, {"publish": []}, {"publish": ["a", "a.*", "a.**"], "subscribe": ["**"], "manage": ["*"]})})
    judge.refuses({repr(value): made(value) for value in (
        "publish", ["publish"], 7, True, {"publish": "**"}, {"publish": [7]}, {"publish": {"**": True}},
        {"publish": ["a*"]}, {"publish": ["**.a"]}, {"publish": [""]}, {"publish": ["a b"]}, {"publish": ["x" * 256]},
        {"Publish": ["**"]}, {"admin": True}, {"publish": None})}, "malformed")


def test_what_is_told_last(executable, tmp_path, keys, key_set):
    """Claims are told of only after the signature is known to be good."""
    judge = Judge(executable, tmp_path, [issuer()], key_set)
    judge.refuses({
        "expired": signed("RS256", keys["stranger"], claims(exp=1), {"kid": "rsa"}),
        "for others": signed("RS256", keys["stranger"], claims(aud="x"), {"kid": "rsa"}),
    }, "bad signature")


def test_several_entries_of_one_issuer(executable, tmp_path, keys, key_set):
    judge = Judge(executable, tmp_path, [
        issuer(algorithms=["RS256"], audience="a", secretFile=None),
        issuer(algorithms=["HS256"], audience="b", jwks=None),
        {"algorithms": ["EdDSA"], "jwks": "file:keys.json"},
    ], key_set)
    judge.accepts({
        "first": signed("RS256", keys["rsa"], claims(aud="a")),
        "second": signed("HS256", SECRET, claims(aud="b")),
        "any": signed("EdDSA", keys["ed"], claims(aud="c", iss="else")),
    })
    judge.refuses({"RS256": signed("RS256", keys["rsa"], claims(aud="b")), "HS256": signed("HS256", SECRET, claims(aud="a"))},
                  "wrong audience")
    judge.refuses({"ES256": signed("ES256", keys["p256"], claims())}, "algorithm not allowed")
    # There is an entry for any issuer, which does not take its algorithm.
    judge.refuses({"RS256 of another": signed("RS256", keys["rsa"], claims(iss="else"))}, "wrong issuer")
    judge.refuses({"ES256 of another": signed("ES256", keys["p256"], claims(iss="else"))}, "algorithm not allowed")


def test_an_entry_for_any_issuer_hides_no_reason(executable, tmp_path, keys, key_set):
    """The list of the documentation: an issuer with its keys, and a secret for all others."""
    judge = Judge(executable, tmp_path, [
        issuer(algorithms=["RS256"], secretFile=None), {"algorithms": ["HS256"], "secretFile": "hmac.key"}], key_set)
    judge.accepts({"one": signed("RS256", keys["rsa"], claims()), "other": signed("HS256", SECRET, claims(iss="else"))})
    judge.refuses({"RS256": signed("RS256", keys["rsa"], claims(exp=None)), "HS256": signed("HS256", SECRET, claims(exp=None))},
                  "malformed")
    judge.refuses({"RS256": signed("RS256", keys["rsa"], claims(iss="else"))}, "wrong issuer")
    judge.refuses({"RS256": signed("RS256", keys["rsa"], claims(aud="else"))}, "wrong audience")
    judge.refuses({"HS256": signed("HS256", SECRET, claims(exp=1))}, "expired")


def test_thousands_of_mutations(judge, good):
    """No single changed byte of a token is accepted, and none ends the program."""
    alphabet = "AQgw-_.=!"
    mutations = {}
    for place in range(len(good)):
        letter = next(letter for letter in alphabet[place % 5:] + alphabet if letter != good[place])
        mutations[f"{place} {letter}"] = good[:place] + letter + good[place + 1:]
        mutations[f"without {place}"] = good[:place] + good[place + 1:]
    mutations |= {f"first {length}": good[:length] for length in range(1, len(good))}
    said = judge(mutations)
    assert len(said) > 1500
    assert "accepted" not in said.values()

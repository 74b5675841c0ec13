"""`clarion token`: making keys, signing tokens, seeing what they say."""

import base64
import hashlib
import json
import os
import re
import subprocess
import time

import jwt
import pytest
from cryptography.hazmat.primitives import serialization

import tokens

KEY = re.compile(r"clk_[0-9A-Za-z]{32}\n")


def refusal(result, status, *words):
    assert (result.returncode, result.stdout) == (status, "")
    [line] = result.stderr.splitlines()
    assert line.startswith("clarion: ")
    for word in words:
        assert word in line


def test_a_key_is_added_and_accepted(clarion, tmp_path):
    file = tmp_path / "credentials.json"
    result = clarion("token", "create", "--name", "ci", "--publish", "builds.**", "--subscribe", "a", "--subscribe", "b.*",
                     "--file", file)
    assert (result.returncode, result.stderr) == (0, "")
    assert KEY.fullmatch(result.stdout)
    key = result.stdout.strip()
    assert json.loads(file.read_text()) == {"keys": [{
        "name": "ci", "sha256": hashlib.sha256(key.encode()).hexdigest(), "publish": ["builds.**"], "subscribe": ["a", "b.*"],
        "manage": []}]}
    assert file.stat().st_mode & 0o777 == 0o600
    said = clarion("token", "inspect", "--credentials", file, key)
    assert said.returncode == 0
    assert "accepted  as ci, rights: publish builds.**; subscribe a b.*" in said.stdout
    assert clarion("token", "inspect", "--credentials", file, key[:-1]).returncode == 1


def test_the_file_of_the_environment(clarion, tmp_path):
    file = tmp_path / "c.json"
    file.write_text('{ "anonymous": {"subscribe": ["public.**"]} }')
    file.chmod(0o644)
    for name in ("one", "two"):
        result = clarion("token", "create", "--name", name, environment={"CLARION_CREDENTIALS": str(file)})
        assert result.returncode == 0 and KEY.fullmatch(result.stdout)
    document = json.loads(file.read_text())
    assert [key["name"] for key in document["keys"]] == ["one", "two"]
    assert document["anonymous"] == {"subscribe": ["public.**"]}
    assert file.stat().st_mode & 0o777 == 0o600


def test_what_allows_nothing_is_made_and_said_to(clarion, tmp_path):
    result = clarion("token", "create", "--name", "a", "--print")
    assert result.returncode == 0 and KEY.match(result.stdout)
    assert "allows nothing" in result.stderr and "--publish" in result.stderr


def test_an_entry_is_printed(clarion, tmp_path):
    result = clarion("token", "create", "--print", "--name", 'a "b"', "--manage", "**", "--expires", "90d",
                     environment={"CLARION_CREDENTIALS": str(tmp_path / "none.json")})
    key, entry = result.stdout.splitlines()
    entry = json.loads(entry)
    assert entry["name"] == 'a "b"' and entry["manage"] == ["**"]
    assert entry["sha256"] == hashlib.sha256(key.encode()).hexdigest()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments, words", [
    (["--name", "a"], ["--file"]), (["--name", "", "--print"], ["--name"]), (["--name", "x" * 256, "--print"], ["--name"]),
    (["--name", "a\tb", "--print"], ["--name"]), (["--name", "a", "--publish", "a*", "--print"], ["--publish", "a*"]),
    (["--name", "a", "--expires", "soon", "--print"], ["--expires"]), (["--name", "a", "--expires", "0s", "--print"], ["--expires"]),
    (["--name", "a", "--expires", "2020-01-01T00:00:00Z", "--print"], ["--expires", "to come"]),
])
def test_what_no_key_can_be(clarion, arguments, words):
    refusal(clarion("token", "create", *arguments), 64, *words)


def test_a_file_that_is_none_is_left_alone(clarion, tmp_path):
    file = tmp_path / "c.json"
    file.write_text('{"key": []}')
    refusal(clarion("token", "create", "--name", "a", "--file", file), 1, "c.json", 'Did you mean "keys"?')
    assert file.read_text() == '{"key": []}'
    refusal(clarion("token", "create", "--name", "a", "--file", tmp_path / "no" / "c.json"), 1, "No such file")


@pytest.mark.parametrize("command, algorithm", [
    (["genrsa", "2048"], "RS256"), (["genrsa", "-traditional", "2048"], "RS256"),
    (["genpkey", "-algorithm", "ed25519"], "EdDSA"), (["ecparam", "-name", "prime256v1", "-genkey"], "ES256"),
    (["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], "ES256"),
])
def test_tokens_that_openssl_made_the_key_of(clarion, tmp_path, command, algorithm):
    pem = subprocess.run(["openssl", *command], capture_output=True, check=True).stdout
    (tmp_path / "key.pem").write_bytes(pem)
    block = pem[pem.index(b"-----BEGIN", pem.find(b"-----END EC PARAMETERS")) if b"PARAMETERS" in pem else 0:]
    key = serialization.load_pem_private_key(block, None)
    result = clarion("token", "sign", "--key", "key.pem", "--subject", "ann", "--publish", "a.*", "--issuer", "https://id",
                     "--audience", "hub", "--kid", "k1", "--expires-in", "8h")
    assert result.returncode == 0, result.stderr
    token = result.stdout.strip()
    assert jwt.get_unverified_header(token) == {"alg": algorithm, "kid": "k1", "typ": "JWT"}
    claims = jwt.decode(token, key.public_key(), [algorithm], audience="hub", issuer="https://id")
    assert claims["sub"] == "ann" and claims["clarion"] == {"publish": ["a.*"]}
    assert abs(claims["exp"] - time.time() - 8 * 3600) < 60
    (tmp_path / "keys.json").write_text(json.dumps({"keys": [tokens.jwk(key, kid="k1")]}))
    (tmp_path / "c.json").write_text(json.dumps({"jwt": [
        {"issuer": "https://id", "audience": "hub", "algorithms": [algorithm], "jwks": "file:keys.json"}]}))
    said = clarion("token", "inspect", "--credentials", "c.json", token)
    assert said.returncode == 0 and "accepted  as ann, rights: publish a.*" in said.stdout


def test_tokens_with_a_secret(clarion, tmp_path):
    secret = bytes(range(48))
    (tmp_path / "hmac.key").write_bytes(base64.b64encode(secret) + b"\n")
    token = clarion("token", "sign", "--secret-file", "hmac.key", "--subject", "ann").stdout.strip()
    assert jwt.decode(token, secret, ["HS256"])["sub"] == "ann"
    said = clarion("token", "inspect", token).stdout
    assert '"sub":"ann"' in said and "rights    none" in said and re.search("in (60|59)m", said)
    assert "accepted" not in said and token not in said


def test_what_cannot_sign(clarion, tmp_path):
    (tmp_path / "short.key").write_bytes(base64.b64encode(bytes(31)))
    (tmp_path / "weak.pem").write_bytes(subprocess.run(["openssl", "genrsa", "1024"], capture_output=True).stdout)
    refusal(clarion("token", "sign", "--secret-file", "short.key"), 1, "31 bytes")
    refusal(clarion("token", "sign", "--secret-file", "none.key"), 1, "There is no such file")
    refusal(clarion("token", "sign", "--key", "short.key"), 1, "private key")
    refusal(clarion("token", "sign", "--key", "weak.pem"), 1, "2048")
    refusal(clarion("token", "sign"), 64, "--secret-file", "--key")
    refusal(clarion("token", "sign", "--key", "weak.pem", "--secret-file", "short.key"), 64, "--key")
    for none in ("soon", "0s"):
        refusal(clarion("token", "sign", "--key", "weak.pem", "--expires-in", none), 64, "--expires-in")


def test_tokens_are_read_in_lines_that_have_a_bound(executable):
    def inspect(input):
        return subprocess.run([executable, "token", "inspect"], stdin=input, capture_output=True, timeout=20)

    with open("/dev/zero", "rb") as endless:
        result = inspect(endless)
    assert result.returncode == 66 and result.stdout == b"" and b"standard input" in result.stderr
    reader, writer = os.pipe()
    os.write(writer, b"clk_a\r\n\nclk_b")
    os.close(writer)
    with open(reader, "rb") as lines:
        result = inspect(lines)
    assert result.returncode == 0 and result.stdout.count(b"key       not a token") == 2


def test_a_token_cannot_command_a_terminal(clarion):
    payload = tokens.encode({"x": "\u009b31m\u001b[31m\u202e"})
    said = clarion("token", "inspect", f"{tokens.encode({'alg': 'none'})}.{payload}.")
    assert said.returncode == 0
    assert not set("\u009b\u001b\u202e") & set(said.stdout)

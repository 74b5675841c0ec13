"""Secrets of webhooks: two schemes, rotation, and how they are kept."""

import base64
import os
import subprocess
from datetime import datetime, timedelta, timezone

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from problems import assert_problem
from waiting import wait_until

LOOPBACK = ("--allow-egress", "127.0.0.0/8")


@pytest.fixture(scope="module")
def shared_hub(start_shared_hub):
    return start_shared_hub(*LOOPBACK)


def new_secret(prefix="whsec_"):
    return prefix + base64.b64encode(os.urandom(32)).decode()


def public_key(secret):
    """The `whpk_` that belongs to a `whsk_`, computed by someone else."""
    key = Ed25519PrivateKey.from_private_bytes(base64.b64decode(secret.removeprefix("whsk_")))
    return "whpk_" + base64.b64encode(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)).decode()


def signatures(delivery):
    """The signatures of a delivery by their version, with exactly one space between."""
    pairs = [one.split(",", 1) for one in delivery.headers["webhook-signature"].split(" ")]
    assert all(len(pair) == 2 for pair in pairs), delivery.headers["webhook-signature"]
    return pairs


def verify_v1a(key, delivery):
    message = f"{delivery.id}.{delivery.headers['webhook-timestamp']}.".encode() + delivery.body
    verifier = Ed25519PublicKey.from_public_bytes(base64.b64decode(key.removeprefix("whpk_")))
    [signature] = [text for version, text in signatures(delivery) if version == "v1a"]
    verifier.verify(base64.b64decode(signature), message)


def verify(secret, delivery):
    Webhook(secret).verify(delivery.body, delivery.headers)


def rotate(hub, webhook, **options):
    return hub.request("POST", f"/observers/{webhook['id']}/secret/rotate", **options)


def deliver(hub, receiver, topic):
    """Posts an event and returns how it arrived."""
    receipt = hub.post(topic, '{"n": 1}')
    return wait_until(lambda: next((one for one in receiver.deliveries if one.id == receipt["id"]), None))


# Ed25519

def test_ed25519_signatures_verify_with_the_public_key(shared_hub, receiver, topic):
    webhook = shared_hub.register(receiver.url(), topic, signature="ed25519")
    assert webhook["signature"] == "ed25519"
    assert webhook["publicKey"] == public_key(webhook["secret"])
    delivery = deliver(shared_hub, receiver, topic)
    assert [version for version, _ in signatures(delivery)] == ["v1a"]
    verify_v1a(webhook["publicKey"], delivery)
    with pytest.raises(InvalidSignature):
        delivery.body = b'{"n": 2}'
        verify_v1a(webhook["publicKey"], delivery)
    read = shared_hub.observer(webhook["id"])
    assert read["publicKey"] == webhook["publicKey"]
    assert "secret" not in read


def test_a_key_of_the_clients_own(shared_hub, receiver, topic):
    secret = new_secret("whsk_")
    webhook = shared_hub.register(receiver.url(), topic, signature="ed25519", secret=secret)
    assert webhook["publicKey"] == public_key(secret)
    verify_v1a(public_key(secret), deliver(shared_hub, receiver, topic))


def test_by_default_the_secret_is_shared(shared_hub, topic):
    webhook = shared_hub.register("https://example.com/", topic)
    assert webhook["signature"] == "hmac-sha256"
    assert webhook["secret"].startswith("whsec_")
    assert "publicKey" not in webhook


@pytest.mark.parametrize("members", [
    {"secret": new_secret("whsk_")}, {"signature": "ed25519", "secret": new_secret()},
    {"signature": "hmac-sha256", "secret": new_secret("whsk_")}, {"secret": "whsec_c2hvcnQ="}])
def test_a_secret_that_does_not_fit_is_refused_and_not_repeated(shared_hub, topic, members):
    response = shared_hub.request(
        "POST", "/observers", json={"topics": [topic], "url": "https://example.com/", **members})
    assert_problem(response, 400, "secret-invalid", pointer="/secret")
    assert members["secret"].split("_")[1] not in response.text


def test_unknown_signatures_are_refused(shared_hub, topic):
    response = shared_hub.request(
        "POST", "/observers", json={"topics": [topic], "url": "https://example.com/", "signature": "rsa"})
    assert_problem(response, 400, "member-invalid", pointer="/signature")


# Rotation

def test_both_secrets_verify_after_a_rotation(shared_hub, receiver, topic):
    webhook = shared_hub.register(receiver.url(), topic)
    response = rotate(shared_hub, webhook)
    assert response.status_code == 200
    rotated = response.json()
    assert rotated["secret"].startswith("whsec_") and rotated["secret"] != webhook["secret"]
    assert rotated["id"] == webhook["id"] and rotated["topics"] == [topic] and "stats" in rotated
    assert response.headers["ETag"] != shared_hub.get("/observers").headers.get("ETag")
    until = datetime.fromisoformat(rotated["previousSecretUntil"]) - datetime.now(timezone.utc)
    assert timedelta(hours=23, minutes=59) < until <= timedelta(hours=24)

    delivery = deliver(shared_hub, receiver, topic)
    verify(webhook["secret"], delivery)
    verify(rotated["secret"], delivery)
    assert [version for version, _ in signatures(delivery)] == ["v1", "v1"]
    moment = datetime.fromtimestamp(int(delivery.headers["webhook-timestamp"]), timezone.utc)
    newest = Webhook(rotated["secret"]).sign(delivery.id, moment, delivery.body.decode())
    assert delivery.headers["webhook-signature"].startswith(newest + " ")
    read = shared_hub.observer(webhook["id"])
    assert "secret" not in read and read["previousSecretUntil"] == rotated["previousSecretUntil"]


def test_a_second_rotation_keeps_the_last_two(shared_hub, receiver, topic):
    webhook = shared_hub.register(receiver.url(), topic)
    second = rotate(shared_hub, webhook).json()["secret"]
    third = rotate(shared_hub, webhook).json()["secret"]
    delivery = deliver(shared_hub, receiver, topic)
    assert len(signatures(delivery)) == 2
    verify(second, delivery)
    verify(third, delivery)
    with pytest.raises(WebhookVerificationError):
        verify(webhook["secret"], delivery)


def test_a_given_secret_and_the_same_again(shared_hub, receiver, topic):
    webhook = shared_hub.register(receiver.url(), topic)
    secret = new_secret()
    first = rotate(shared_hub, webhook, json={"secret": secret})
    again = rotate(shared_hub, webhook, json={"secret": secret})
    assert first.json()["secret"] == again.json()["secret"] == secret
    assert first.json()["previousSecretUntil"] == again.json()["previousSecretUntil"]
    delivery = deliver(shared_hub, receiver, topic)
    verify(webhook["secret"], delivery)
    verify(secret, delivery)


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_a_secret_that_is_replaced_goes_on_too(shared_hub, receiver, topic, method):
    webhook = shared_hub.register(receiver.url(), topic)
    secret = new_secret()
    changes = {"secret": secret} if method == "PATCH" else {
        "secret": secret, "topics": [topic], "url": receiver.url()}
    response = shared_hub.request(method, f"/observers/{webhook['id']}", json=changes)
    assert response.status_code == 200 and response.json()["secret"] == secret
    delivery = deliver(shared_hub, receiver, topic)
    verify(webhook["secret"], delivery)
    verify(secret, delivery)
    # What changes something else keeps the secret, and does not show it.
    response = shared_hub.request("PATCH", f"/observers/{webhook['id']}", json={"description": "x"})
    assert "secret" not in response.json()


def test_a_change_of_the_signature_makes_a_secret_and_keeps_the_old_one(shared_hub, receiver, topic):
    webhook = shared_hub.register(receiver.url(), topic)
    changed = shared_hub.request("PATCH", f"/observers/{webhook['id']}", json={"signature": "ed25519"}).json()
    assert changed["publicKey"] == public_key(changed["secret"])
    delivery = deliver(shared_hub, receiver, topic)
    assert [version for version, _ in signatures(delivery)] == ["v1a", "v1"]
    verify_v1a(changed["publicKey"], delivery)
    verify(webhook["secret"], delivery)


def test_rotations_that_are_refused(shared_hub, topic):
    webhook = shared_hub.register("https://example.com/", topic)
    for body, code, pointer in [
            ({"secret": "short"}, "secret-invalid", "/secret"), ({"secret": new_secret("whsk_")}, "secret-invalid", "/secret"),
            ({"secret": 1}, "member-invalid", "/secret"), ({"key": "x"}, "member-unknown", "/key"),
            ([], "body-invalid", "")]:
        assert_problem(rotate(shared_hub, webhook, json=body), 400, code, pointer=pointer)
    assert_problem(rotate(shared_hub, {"id": "none"}), 404, "observer-unknown")
    assert_problem(rotate(shared_hub, webhook, headers={"If-Match": '"0"'}), 412, "observer-changed")
    with shared_hub.stream(topic):
        [stream] = shared_hub.wait_for_observers(1, topic=topic, kind="stream")
        assert_problem(rotate(shared_hub, stream), 409, "observer-kind")
    assert "previousSecretUntil" not in shared_hub.observer(webhook["id"])


def test_a_rotation_outlives_a_restart(start_hub, receiver, topic):
    hub = start_hub(*LOOPBACK)
    webhook = hub.register(receiver.url(), topic)
    rotated = rotate(hub, webhook).json()
    hub.kill()
    hub.start()
    assert hub.observer(webhook["id"])["previousSecretUntil"] == rotated["previousSecretUntil"]
    delivery = deliver(hub, receiver, topic)
    verify(webhook["secret"], delivery)
    verify(rotated["secret"], delivery)


# At rest

def new_key():
    return base64.b64encode(os.urandom(32)).decode()


def secrets_of(webhook):
    """What must not be found: the secret, as it is written and as it is."""
    text = webhook["secret"].split("_")[1]
    return [text.encode(), base64.b64decode(text)]


@pytest.mark.parametrize("signature", ["hmac-sha256", "ed25519"])
def test_with_a_master_key_no_secret_is_stored(start_hub, receiver, topic, signature):
    hub = start_hub(*LOOPBACK, environment={"CLARION_MASTER_KEY": new_key()})
    webhook = hub.register(
        receiver.url(), topic, signature=signature, headers={"Authorization": "Bearer forbidden-fruit"})
    rotated = rotate(hub, webhook).json()
    deliver(hub, receiver, topic)
    hub.stop()
    everything = hub.stored()
    assert topic.encode() in everything
    for bytes in [*secrets_of(webhook), *secrets_of(rotated), b"forbidden-fruit", b"whsec_", b"whsk_"]:
        assert bytes not in everything
    assert "whsec_" not in hub.log and "forbidden-fruit" not in hub.log
    hub.restart()
    delivery = deliver(hub, receiver, topic)
    assert delivery.headers["authorization"] == "Bearer forbidden-fruit"
    if signature == "ed25519":
        verify_v1a(rotated["publicKey"], type(delivery)(**{
            **vars(delivery), "headers": {**delivery.headers, "webhook-signature": " ".join(
                delivery.headers["webhook-signature"].split(" ")[:1])}}))
    else:
        verify(webhook["secret"], delivery)
        verify(rotated["secret"], delivery)


def test_without_one_they_are(start_hub, topic):
    hub = start_hub()
    webhook = hub.register("https://example.com/", topic)
    hub.stop()
    assert webhook["secret"].encode() in hub.stored(), "then the tests above prove nothing"


def test_plain_secrets_are_encrypted_when_they_are_next_written(start_hub, receiver, topic):
    hub = start_hub(*LOOPBACK)
    webhook = hub.register(receiver.url(), topic)
    hub.stop()
    hub.environment["CLARION_MASTER_KEY"] = key = new_key()
    hub.start()
    verify(webhook["secret"], deliver(hub, receiver, topic))
    assert hub.request("PATCH", f"/observers/{webhook['id']}", json={"description": "x"}).status_code == 200
    hub.stop()
    del hub.environment["CLARION_MASTER_KEY"]
    refused(hub, "master key")
    hub.environment["CLARION_MASTER_KEY"] = key
    hub.start()
    verify(webhook["secret"], deliver(hub, receiver, topic))


def refused(hub, *words):
    """Starts a hub that must refuse to, in one line."""
    run = subprocess.run(
        hub.command(), env=hub.environment, capture_output=True, text=True, timeout=15, cwd=hub.folder)
    assert run.returncode not in (0, None) and run.returncode > 0
    assert run.stdout == ""
    assert run.stderr.startswith("clarion: ") and run.stderr.count("\n") == 1, run.stderr
    for word in words:
        assert word in run.stderr
    return run


def test_a_hub_without_the_key_or_with_another_refuses_to_start(start_hub, receiver, topic):
    key = new_key()
    hub = start_hub(*LOOPBACK, environment={"CLARION_MASTER_KEY": key})
    plain = hub.register(receiver.url("/other"), topic)
    webhook = hub.register(receiver.url(), topic)
    hub.stop()
    del hub.environment["CLARION_MASTER_KEY"]
    refused(hub, "CLARION_MASTER_KEY", "--master-key-file")
    hub.environment["CLARION_MASTER_KEY"] = other = new_key()
    run = refused(hub, "does not open", "master key")
    assert other not in run.stderr and key not in run.stderr
    hub.environment["CLARION_MASTER_KEY"] = key
    hub.start()
    hub.post(topic, '"x"')
    for delivery in receiver.wait_for(2):
        verify((webhook if delivery.path == "/" else plain)["secret"], delivery)


def test_another_key_takes_the_place_of_the_first(start_hub, receiver, topic):
    first, second = new_key(), new_key()
    hub = start_hub(*LOOPBACK, environment={"CLARION_MASTER_KEY": first})
    webhooks = [hub.register(receiver.url(path), topic) for path in ("/0", "/1")]
    hub.stop()
    hub.environment["CLARION_MASTER_KEY"] = f"{second}\n{first}\n"
    hub.start()
    assert hub.request("PATCH", f"/observers/{webhooks[0]['id']}", json={}).status_code == 200
    hub.stop()
    hub.environment["CLARION_MASTER_KEY"] = second
    refused(hub, webhooks[1]["id"], "does not open")
    hub.environment["CLARION_MASTER_KEY"] = f"{second} {first}"
    hub.start()
    assert hub.request("PATCH", f"/observers/{webhooks[1]['id']}", json={}).status_code == 200
    hub.stop()
    hub.environment["CLARION_MASTER_KEY"] = second
    hub.start()
    hub.post(topic, '"x"')
    for delivery in receiver.wait_for(2):
        verify(webhooks[int(delivery.path[1:])]["secret"], delivery)


def test_the_key_in_a_file(start_hub, receiver, topic, tmp_path):
    file = tmp_path / "key"
    file.write_text(new_key() + "\n")
    file.chmod(0o600)
    hub = start_hub(*LOOPBACK, "--master-key-file", str(file))
    webhook = hub.register(receiver.url(), topic)
    hub.stop()
    assert secrets_of(webhook)[0] not in hub.stored()
    assert "every user" not in hub.log.lower()
    file.chmod(0o644)
    hub.start()
    verify(webhook["secret"], deliver(hub, receiver, topic))
    [line] = [line for line in hub.log.splitlines() if "--master-key-file: Every user of this machine can read it." in line]
    assert "warning" in line and f"chmod o-r {file}" in line


@pytest.mark.parametrize("key", ["", "short", "A" * 44, base64.b64encode(b"x" * 31).decode()])
def test_what_is_no_key_is_refused(clarion, key):
    run = clarion("serve", environment={"CLARION_MASTER_KEY": key})
    assert run.returncode == 64
    assert run.stderr.startswith("clarion: CLARION_MASTER_KEY: ") and run.stderr.count("\n") == 1
    assert not key or key not in run.stderr


def test_a_file_that_cannot_be_read_is_refused(clarion, tmp_path):
    run = clarion("serve", "--master-key-file", tmp_path / "none")
    assert run.returncode == 64
    assert "--master-key-file: cannot read" in run.stderr

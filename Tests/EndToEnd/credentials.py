"""Credentials files for hubs under test, and requests from addresses of one's own: failed logins count by address."""

import base64
import hashlib
import http.client
import itertools
import json
import os
import time

import jwt

ISSUER, AUDIENCE = "https://id.example", "clarion"
RIGHTS = ("publish", "subscribe", "manage")
_addresses = itertools.count(1)


def fresh_address():
    """An address of this machine that no other test has asked from."""
    number = next(_addresses)
    return f"127.7.{number // 250}.{number % 250 + 1}"


def grant(*patterns, rights=RIGHTS):
    return {right: list(patterns) for right in rights}


class CredentialsFile:
    """A file that can be changed while a hub runs: send SIGHUP then."""

    def __init__(self, folder, keys=(), anonymous=None):
        """
        :param keys: of each its name and its grant; it is asked for under the name.
        """
        self.path = folder / "credentials.json"
        self.secret = os.urandom(48)
        (folder / "hmac.key").write_text(base64.b64encode(self.secret).decode())
        self.keys = {}
        self.members = {
            "keys": [],
            "jwt": [{"issuer": ISSUER, "audience": AUDIENCE, "algorithms": ["HS256"], "secretFile": "hmac.key"}],
        }
        if anonymous is not None:
            self.members["anonymous"] = anonymous
        for name, rights in dict(keys).items():
            self.add_key(name, rights)
        self.write()

    def add_key(self, name, rights, **members):
        self.keys[name] = f"clk_{base64.b32encode(os.urandom(20)).decode()}"
        digest = hashlib.sha256(self.keys[name].encode()).hexdigest()
        self.members["keys"].append({"name": name, "sha256": digest, **rights, **members})

    def remove_key(self, name):
        self.members["keys"] = [key for key in self.members["keys"] if key["name"] != name]

    def write(self):
        self.path.write_text(json.dumps(self.members))

    def token(self, rights=None, expires_in=3600, key=None, algorithm="HS256", headers=None, **claims):
        now = int(time.time())
        payload = {"iss": ISSUER, "aud": AUDIENCE, "sub": "someone", "exp": now + expires_in}
        payload |= {"clarion": rights if rights is not None else grant("**")} | claims
        payload = {name: value for name, value in payload.items() if value is not None}
        return jwt.encode(payload, self.secret if key is None else key, algorithm=algorithm, headers=headers)


class Answer:
    def __init__(self, response):
        self.status_code = response.status
        self.headers = response.headers
        self.content = b"" if response.headers.get_content_type() == "text/event-stream" else response.read()

    def json(self):
        return json.loads(self.content)


def ask(hub, method, target, credential=None, headers=None, data=None, address=None):
    """A request on a connection of its own, from an address of its own unless one is given."""
    fields = dict(headers or {})
    if credential is not None:
        fields["Authorization"] = f"Bearer {credential}"
    connection = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=15,
                                            source_address=(address or fresh_address(), 0))
    try:
        connection.request(method, target, body=data, headers=fields)
        return Answer(connection.getresponse())
    finally:
        connection.close()

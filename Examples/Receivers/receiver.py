"""A receiver of webhooks in Python, with nothing but its library: `WEBHOOK_SECRET=whsec_… python3 receiver.py`."""

import base64
import binascii
import hashlib
import hmac
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
# More than any delivery of a hub that takes bodies of a mebibyte, as it does unless told otherwise: in JSON a byte may be six.
MOST_BYTES = 1 << 23
# A delivery may come twice, with the same id. What must not happen twice keeps the ids where it keeps its results.
seen = set()


def is_genuine(headers, body):
    """Whether one of the signatures is ours, and made within the last five minutes (Standard Webhooks)."""
    try:
        if not abs(time.time() - int(headers["webhook-timestamp"])) <= 300:
            return False
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        # Two while the secret is being changed.
        given = [base64.b64decode(signature.removeprefix("v1,"), validate=True)
                 for signature in headers["webhook-signature"].split() if signature.startswith("v1,")]
    except (TypeError, ValueError, AttributeError, binascii.Error):
        return False
    expected = hmac.new(KEY, signed, hashlib.sha256).digest()
    return any(hmac.compare_digest(signature, expected) for signature in given)


def as_sent(value):
    """A field's text: the hub sends UTF-8, and `http.server` reads each byte as a character of Latin-1."""
    return value.encode("latin-1").decode(errors="replace")


class Server(ThreadingHTTPServer):
    # The connections of many webhooks at once: of more than five that wait, others would time out.
    request_queue_size = 128


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MOST_BYTES:
            self.close_connection = True
            return self.answer(413)
        body = self.rfile.read(int(length))
        if not is_genuine(self.headers, body):
            return self.answer(401)
        if self.headers["webhook-id"] not in seen:
            seen.add(self.headers["webhook-id"])
            # Data need be neither JSON nor text. In one piece: two that arrive at once do not share a line.
            text = body.decode(errors="replace")
            # Percent signs and control characters of a type are percent-encoded.
            type = unquote(as_sent(self.headers.get("Event-Type", "-")))
            topic = as_sent(self.headers.get("Clarion-Topic", "-"))
            print(f"{topic} {type} {text}\n", end="", flush=True)
        # Any 2xx means "got it", 410 "no more of this"; after anything else the hub tries again.
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


Server(("127.0.0.1", int(os.environ.get("PORT", 9000))), Receiver).serve_forever()

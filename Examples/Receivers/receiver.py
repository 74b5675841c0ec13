"""A receiver of webhooks in Python: `pip install standardwebhooks`, then `WEBHOOK_SECRET=whsec_… python3 receiver.py`."""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

webhook = Webhook(os.environ["WEBHOOK_SECRET"])
# A delivery may come twice, with the same id. What must not happen twice keeps the ids where it keeps its results.
seen = set()


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            data = webhook.verify(body, {name.lower(): value for name, value in self.headers.items()})
        except WebhookVerificationError:
            return self.answer(401)
        except json.JSONDecodeError:
            # The signature was checked before; data need not be JSON.
            data = body.decode(errors="replace")
        if self.headers["webhook-id"] not in seen:
            seen.add(self.headers["webhook-id"])
            # In one piece: two that arrive at once do not share a line.
            line = f"{self.headers['Clarion-Topic']} {self.headers['Event-Type'] or '-'} {data}\n"
            print(line, end="", flush=True)
        # Any 2xx means "got it", 410 "no more of this"; after anything else the hub tries again.
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 9000))), Receiver).serve_forever()

"""Webhooks' endpoints whose answers are made by chance, seeded, in a process of their own.

    python answer_fuzzer.py SEED CERTIFICATE KEY

prints the port of each kind as JSON, serves until its standard input ends, and prints how many answers each has given.
An answer depends on the seed, the kind and its number alone. A third of them are what a good endpoint says, so that
deliveries go on; in the others the status line, the fields, the sizes, or the framing is at the end of what can
be said, or beyond it.
"""

import asyncio
import json
import random
import ssl
import sys

#: HTTP/1.1, the same over TLS, and what speaks no TLS where TLS is spoken.
KINDS = ("plain", "tls", "hello")

#: Numbers at the ends of the types that somebody might hold them in.
NUMBERS = [0, 1, 2, 60, 86_400, 86_401, 2**31 - 1, 2**31, 2**32, 253_402_300_799, 253_402_300_800, 2**53, 2**53 + 1,
           9_223_372_036_854_775, 9_223_372_036_854_776, 2**63 - 1, 2**63, 2**64, 10**40, -1, -2**31, -2**63, -2**63 - 1]
YEARS = [0, 1, 1583, 1899, 1969, 1970, 1994, 2026, 2037, 2038, 2106, 9999, 10_000, 292_277_026_596, 300_000_000, 2**31 - 1, 2**32,
         2**63]
TIMES = ["08:49:37", "23:59:60", "24:00:00", "99:99:99", "00:00", "8:49:37", "-1:00:00", ""]
ZONES = ["GMT", "UTC", "+9999", "-9999", "+0000", "EST", "A", "", "+2147483648"]
CODES = ["204"] * 4 + ["200", "201", "299", "429", "429", "503", "503", "500", "404", "410", "300", "301", "304", "400", "401", "407", "408",
         "421", "426", "100", "101", "102", "103", "199", "599", "600", "999", "000", "099", "99", "1000", "-1", "2147483648",
         "18446744073709551616", "2OO", "", "20 0", "+200", "0200"]
VERSIONS = ["HTTP/1.1"] * 12 + ["HTTP/1.0", "HTTP/0.9", "HTTP/2", "HTTP/3", "HTTP/1.", "HTTP/9.9", "HTTP/", "http/1.1", "ICY", "RTSP/1.0", ""]
TEXT = ["", "*", "a", "%", "\xff", "\xe9", "\0", "\t", " ", ",", ";", "\"", "=", "null", "nan", "inf", "1e400", "-", "0x10", "GMT", "\x7f", "\x80\xfe"]
FIELDS = ["Retry-After"] * 6 + ["WebHook-Allowed-Rate", "WebHook-Allowed-Origin", "Content-Length", "Transfer-Encoding",
          "Connection", "Content-Encoding", "Content-Type", "Location", "Set-Cookie", "Alt-Svc", "Strict-Transport-Security", "Trailer",
          "Upgrade", "WWW-Authenticate", "Keep-Alive", "Date", "Age", "Content-Range", "X"]


class Answers:
    """Makes the answer of a number."""

    def __init__(self, seed, kind):
        self.seed = f"{seed} {kind}"

    def rng(self, number):
        return random.Random(f"{self.seed} {number}")

    @staticmethod
    def date(rng):
        year = rng.choice(YEARS + [rng.randrange(0, 10**rng.randrange(1, 20))])
        month, day = rng.choice(["Nov", "Jan", "Feb", "Foo", "November", ""]), rng.choice([6, 0, 1, 29, 31, 32, 99, 10**12])
        return rng.choice([
            f"Sun, {day:02} {month} {year:04} {rng.choice(TIMES)} {rng.choice(ZONES)}",
            f"Sunday, {day:02}-{month}-{year % 100:02} {rng.choice(TIMES)} {rng.choice(ZONES)}",
            f"Sun {month} {day:2} {rng.choice(TIMES)} {year:04}"])

    def value(self, rng, name):
        """What one field says."""
        kinds = {
            "Retry-After": lambda: rng.choice([self.date(rng), str(rng.choice(NUMBERS)), "9" * rng.randrange(1, 200)]),
            "WebHook-Allowed-Rate": lambda: str(rng.choice(NUMBERS)),
            "WebHook-Allowed-Origin": lambda: rng.choice(["*", "hub.example.com", "x" * 300]),
            "Transfer-Encoding": lambda: rng.choice(["chunked", "gzip, chunked", "identity", "chunked, chunked", "deflate"]),
            "Content-Length": lambda: str(rng.choice(NUMBERS)),
            "Content-Encoding": lambda: rng.choice(["gzip", "br", "deflate, gzip", "x" * 100]),
            "Connection": lambda: rng.choice(["close", "keep-alive", "Upgrade", "Retry-After"]),
            "Upgrade": lambda: rng.choice(["h2c", "websocket", "TLS/1.0"]),
            "Location": lambda: rng.choice(["/", "http://127.0.0.1:1/", "file:///etc/passwd", "http://" + "a" * 9000]),
            "Alt-Svc": lambda: rng.choice(["h2=\":1\"; ma=" + str(rng.choice(NUMBERS)), "clear"])}
        text = kinds.get(name, lambda: "x")() if rng.random() < 0.8 else ""
        while rng.random() < 0.25:
            place = rng.randrange(len(text) + 1)
            text = text[:place] + rng.choice(TEXT) + text[place:]
        return text

    def fields(self, rng):
        """Some fields; now and then one that is far too long, or far too many."""
        fields = []
        for _ in range(rng.choice([0, 1, 1, 2, 4])):
            name = rng.choice(FIELDS)
            fields.append((name, self.value(rng, name)))
        size = rng.random()
        if size < 0.01:
            fields.append((rng.choice(["Retry-After", "X"]), "9" * rng.choice([8_000, 65_536, 102_390, 102_401, 310_000])))
        elif size < 0.02:
            fields += [(rng.choice(FIELDS), str(rng.choice(NUMBERS)))] * rng.choice([100, 1_000, 5_000])
        elif size < 0.03:
            fields.append((rng.choice(["n" * 70_000, "", "X Y", "X\0", "\xff", ":status"]), "v"))
        return fields

    @staticmethod
    def chunked(rng, body):
        size = rng.choice([f"{len(body):x}"] * 4 + ["0" * 100 + f"{len(body):x}", "ffffffffffffffff", "fffffffffffffffff1", "-1", "", "zz",
                          "7fffffffffffffff", "8000000000000000"])
        extension = rng.choice([""] * 4 + [";" + "e" * 20_000, ";a=\"b", " "])
        trailer = rng.choice([""] * 4 + ["Retry-After: 9223372036854775807\r\n", "Content-Length: 3\r\n", "x" * 120_000 + "\r\n", ":\r\n"])
        return f"{size}{extension}\r\n".encode("latin-1") + body + rng.choice([b"\r\n"] * 5 + [b"", b"X"]) + f"0\r\n{trailer}\r\n".encode("latin-1")

    @staticmethod
    def body(rng):
        return bytes([rng.randrange(256)]) * rng.choice([0, 0, 1, 5, 1023, 1024, 1025, 65_535, 65_536, 65_537, 200_000])

    def http1(self, number):
        """The bytes of one answer, and how they are sent: `(pieces, ending)`."""
        rng = self.rng(number)
        if rng.random() < 0.35:
            return [b"HTTP/1.1 204 No Content\r\n\r\n"], "keep"
        head = ""
        for _ in range(rng.choice([0] * 8 + [1, 2, 100])):
            head += rng.choice(["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nRetry-After: " + self.value(rng, "Retry-After") + "\r\n\r\n"])
        end = rng.choice(["\r\n"] * 8 + ["\n", "\r", "\r\r\n"])
        reason = rng.choice([" OK"] * 6 + ["", " ", " " + "r" * 70_000, " \xff", " \0"])
        head += f"{rng.choice(VERSIONS)} {rng.choice(CODES)}{reason}{end}"
        body, fields = self.body(rng), self.fields(rng)
        framing = rng.random()
        if framing < 0.5:
            fields.append(("Content-Length", str(len(body))))
        elif framing < 0.6:
            fields.append(("Content-Length", str(rng.choice([len(body) + 1, max(0, len(body) - 1), *NUMBERS]))))
        elif framing < 0.8:
            fields.append(("Transfer-Encoding", "chunked"))
            body = self.chunked(rng, body)
        rng.shuffle(fields)
        for name, value in fields:
            head += name + rng.choice([": "] * 10 + [":", " : ", "", ":\t", ":\r\n "]) + value + end
        data = bytearray((head + end).encode("latin-1") + body)
        if rng.random() < 0.15 and data:
            for _ in range(rng.choice([1, 1, 3, 10])):
                data[rng.randrange(len(data))] = rng.randrange(256)
        if rng.random() < 0.1:
            del data[rng.randrange(len(data) + 1):]
        if rng.random() < 0.05:
            # Something nobody has asked for, for whoever uses the connection next.
            data += b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        cuts = sorted(rng.randrange(len(data) + 1) for _ in range(rng.choice([0, 0, 0, 1, 5])))
        pieces = [bytes(data[a:b]) for a, b in zip([0, *cuts], [*cuts, len(data)]) if a < b]
        return pieces, rng.choice(["keep"] * 4 + ["close", "close", "reset"])

    def hello(self, number):
        """What is said to a client that says hello in TLS."""
        rng = self.rng(number)
        record = lambda kind, payload, length=None: bytes([kind, 3, rng.choice([0, 1, 3, 4, 255])]) + \
            (len(payload) if length is None else length).to_bytes(2, "big") + payload
        server_hello = b"\x02" + rng.choice([70, 0, 2**24 - 1]).to_bytes(3, "big") + b"\x03\x03" + rng.randbytes(rng.choice([32, 66, 5]))
        return [rng.choice([
            b"", b"\0", rng.randbytes(rng.choice([1, 5, 100, 20_000])), b"SSH-2.0-OpenSSH_9.2\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n",
            record(21, bytes([rng.randrange(4), rng.randrange(256)])), record(22, server_hello), record(22, server_hello, 65_535),
            record(22, b"", 0) * rng.choice([1, 100]), record(23, rng.randbytes(50)), record(20, b"\x01"), record(24, b"\x01\xff\xff")])], \
            rng.choice(["close", "close", "reset"])


class Endpoints:
    def __init__(self, seed, certificate, key):
        self.answers = {kind: Answers(seed, kind) for kind in KINDS}
        self.counts = dict.fromkeys(KINDS, 0)
        self.certificate, self.key = certificate, key

    def number(self, kind):
        self.counts[kind] += 1
        return self.counts[kind]

    async def listen(self):
        servers = {}
        for kind in KINDS:
            context = None
            if kind == "tls":
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(self.certificate, self.key)
                context.set_alpn_protocols(["http/1.1"])
            servers[kind] = await asyncio.start_server(self.endpoint(kind), "127.0.0.1", 0, backlog=512, ssl=context)
        return {kind: server.sockets[0].getsockname()[1] for kind, server in servers.items()}

    def endpoint(self, kind):
        serve = {"hello": self.serve_hello}.get(kind, self.serve_http1)

        async def answer(reader, writer):
            try:
                while await serve(kind, reader, writer):
                    pass
            except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
                pass
            finally:
                writer.close()

        return answer

    async def send(self, writer, pieces, ending):
        for piece in pieces:
            writer.write(piece)
            # Each in a packet of its own.
            await writer.drain()
            if len(pieces) > 1:
                await asyncio.sleep(0)
        if ending == "reset":
            writer.transport.abort()
        return ending == "keep"

    async def serve_http1(self, kind, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        if b"content-length:" in head:
            await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
        pieces, ending = self.answers[kind].http1(self.number(kind))
        # What is not whole is waited for by nobody for long: 15 s, at the end of which the hub lets go.
        return await self.send(writer, pieces, ending)

    async def serve_hello(self, kind, reader, writer):
        await reader.read(1)
        return await self.send(writer, *self.answers[kind].hello(self.number(kind)))


async def main():
    seed, certificate, key = sys.argv[1:]
    endpoints = Endpoints(seed, certificate, key)
    print(json.dumps(await endpoints.listen()), flush=True)
    # Each line that is read is a question how many answers there were so far.
    while await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline):
        print(json.dumps(endpoints.counts), flush=True)


if __name__ == "__main__":
    asyncio.run(main())

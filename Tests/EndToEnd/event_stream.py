"""A client of server-sent events over a plain socket (WHATWG HTML, section 9.2)."""

import re
import socket
import struct
import time
from dataclasses import dataclass, field
from urllib.parse import quote

from waiting import DEADLINE


class StreamEnded(Exception):
    """The server closed the stream."""


class StreamRefused(Exception):
    """The server answered with something other than a stream."""

    def __init__(self, status, headers, body):
        super().__init__(f"{status}: {body!r}")
        self.status = status
        self.headers = headers
        self.body = body


@dataclass
class Message:
    """One dispatched event."""

    #: The last event id at the time of dispatch, which an event without ``id:`` inherits.
    id: str
    #: ``message`` unless the event has a type.
    type: str
    data: str
    #: Whether this very event carried an ``id:`` line.
    has_id: bool
    #: The comments inside this event's block.
    comments: list = field(default_factory=list)


class ChunkDecoder:
    """Takes a chunked body apart, wherever its bytes were cut (RFC 9112 section 7.1). Strict: no extensions, no trailers."""

    def __init__(self):
        self._pending = bytearray()
        self._left = None
        self._is_last = False
        #: Whether the last chunk was read.
        self.is_over = False
        #: How many chunks there were, apart from the last.
        self.count = 0

    def feed(self, piece):
        """Takes bytes as they came and returns the data among them."""
        self._pending += piece
        data = bytearray()
        while self._pending and not self.is_over:
            if self._left is None:
                head, end, rest = self._pending.partition(b"\r\n")
                if not end:
                    break
                assert re.fullmatch(b"[0-9a-fA-F]+", head), f"no chunk size: {bytes(head)!r}"
                self._left, self._pending = int(head, 16), rest
                self._is_last = self._left == 0
                self.count += not self._is_last
            elif self._left > 0:
                part = self._pending[:self._left]
                data += part
                self._left -= len(part)
                del self._pending[:len(part)]
            elif len(self._pending) < 2:
                break
            else:
                assert self._pending[:2] == b"\r\n", "a chunk that does not end where it says"
                del self._pending[:2]
                self._left = None
                self.is_over = self._is_last
        return bytes(data)


class EventStreamParser:
    """Parses a stream piece by piece, wherever the pieces were cut."""

    _LINE_END = re.compile(b"\r\n|\r|\n")

    def __init__(self):
        self.last_event_id = ""
        #: The reconnection time in milliseconds that the server last gave.
        self.retry = None
        #: Every comment so far, without the space after its colon.
        self.comments = []
        self._buffer = bytearray()
        self._skip_line_feed = False
        self._at_start = True
        self._reset()

    @property
    def is_between_events(self):
        """Whether nothing of an unfinished event or line is held."""
        return not self._buffer and not self._in_block

    def feed(self, piece):
        """Takes bytes as they came and returns the events that they complete."""
        if self._skip_line_feed and piece:
            # The other half of a CRLF that was cut in two.
            piece = piece.removeprefix(b"\n")
            self._skip_line_feed = False
        self._buffer += piece
        if self._at_start and len(self._buffer) >= 3:
            if self._buffer.startswith(b"\xef\xbb\xbf"):
                del self._buffer[:3]
            self._at_start = False
        # Only the new piece can hold the end of a line: a long line is not looked through again with each piece.
        if b"\n" not in piece and b"\r" not in piece:
            return []
        self._skip_line_feed = self._buffer.endswith(b"\r")
        *lines, rest = self._LINE_END.split(self._buffer)
        self._buffer = bytearray(rest)
        # Strict: whatever was posted, a hub must never send bytes that are not UTF-8.
        messages = (self._line(line.decode("utf-8")) for line in lines)
        return [message for message in messages if message]

    def _reset(self):
        self._data = []
        self._type = ""
        self._block_comments = []
        self._has_id = False
        self._in_block = False

    def _line(self, line):
        if line == "":
            return self._dispatch()
        name, _, value = line.partition(":")
        # Comments and `retry:` are taken in as they come: a stream may end after them as well as after an event.
        self._in_block = self._in_block or name not in ("", "retry")
        value = value.removeprefix(" ")
        if name == "":
            self.comments.append(value)
            self._block_comments.append(value)
        elif name == "data":
            self._data.append(value)
        elif name == "event":
            self._type = value
        elif name == "id":
            if "\0" not in value:
                self.last_event_id = value
                self._has_id = True
        elif name == "retry":
            if re.fullmatch("[0-9]+", value):
                self.retry = int(value)
        else:
            raise AssertionError(f"a field that no client knows: {line!r}")
        return None

    def _dispatch(self):
        message = None
        if self._data:
            message = Message(
                self.last_event_id, self._type or "message", "\n".join(self._data), self._has_id, self._block_comments)
        self._reset()
        return message


class EventStream:
    """One open stream. It reads only when asked to, so a slow reader is one that does not ask."""

    def __init__(self, port, target, *, last_event_id=None, headers=None, receive_buffer=None, host="127.0.0.1",
                 source=None, timeout=DEADLINE, secure=None):
        self.parser = EventStreamParser()
        #: Takes the body's chunks apart.
        self.chunks = None
        self._messages = []
        self._ended = False
        self._socket = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        try:
            if receive_buffer is not None:
                # Before connecting, so that the window is never larger.
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            if source is not None:
                # The address that the hub sees.
                self._socket.bind((source, 0))
            self._socket.settimeout(timeout)
            self._socket.connect((host, port))
            if secure is not None:
                # A context of TLS, without which it is plain HTTP.
                self._socket = secure.wrap_socket(self._socket, server_hostname=host)
            authority = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
            fields = {"Host": authority, "Accept": "text/event-stream", **(headers or {})}
            if last_event_id is not None:
                fields["Last-Event-ID"] = last_event_id
            head = f"GET {target} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items())
            self._socket.sendall(head.encode() + b"\r\n")
            self._read_head()
        except BaseException:
            self._socket.close()
            raise

    @classmethod
    def of(cls, port, topic, **options):
        """Opens the stream of one topic or pattern; ``query`` is appended to the target."""
        query = options.pop("query", "")
        return cls(port, f"/topics/{quote(topic, safe='')}/events" + (f"?{query}" if query else ""), **options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def last_event_id(self):
        return self.parser.last_event_id

    @property
    def observer_id(self):
        return self.headers["clarion-observer-id"]

    def wait_for_comment(self, timeout=DEADLINE):
        """Reads until the first comment is there: from then on the stream hears what is posted."""
        end = time.monotonic() + timeout
        while not self.parser.comments:
            self._read(end)
        return self

    def next(self, timeout=DEADLINE):
        """The next event. Raises ``TimeoutError`` or ``StreamEnded`` if none comes."""
        end = time.monotonic() + timeout
        while not self._messages:
            self._read(end)
        return self._messages.pop(0)

    def take(self, count, timeout=DEADLINE):
        """The next ``count`` events; the time is for all of them."""
        end = time.monotonic() + timeout
        while len(self._messages) < count:
            try:
                self._read(end)
            except TimeoutError:
                raise TimeoutError(f"{len(self._messages)} of {count} events came in {timeout} s") from None
        taken, self._messages = self._messages[:count], self._messages[count:]
        return taken

    def take_for(self, seconds):
        """Every event of the next so many seconds, or until the end."""
        end = time.monotonic() + seconds
        try:
            while True:
                self._read(end)
        except (TimeoutError, StreamEnded):
            pass
        taken, self._messages = self._messages, []
        return taken

    def read_to_end(self, timeout=DEADLINE):
        """Every event until the server ends the stream. Fails if that was not in order."""
        end = time.monotonic() + timeout
        try:
            while True:
                self._read(end)
        except StreamEnded:
            pass
        assert self.parser.is_between_events, "the stream was ended in the middle of a frame"
        assert self.chunks.is_over, "the stream was cut, not ended"
        taken, self._messages = self._messages, []
        return taken

    def close(self):
        self._socket.close()

    def reset(self):
        """Closes so that the server gets a reset instead of an orderly end."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()

    def _read(self, end):
        if self._ended:
            raise StreamEnded
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError("no event came in time")
        self._socket.settimeout(left)
        piece = self._socket.recv(256 * 1024)
        if not piece:
            self._ended = True
            raise StreamEnded
        self._feed(piece)

    def _feed(self, piece):
        """Bytes of the body; at the last chunk the stream is over, whatever becomes of the connection."""
        if self.chunks is not None:
            piece = self.chunks.feed(piece)
            self._ended = self.chunks.is_over
        self._messages += self.parser.feed(piece)

    def _read_head(self):
        received = b""
        while b"\r\n\r\n" not in received:
            piece = self._socket.recv(65536)
            if not piece:
                raise StreamEnded(f"closed before the head was there: {received!r}")
            received += piece
        head, _, rest = received.partition(b"\r\n\r\n")
        self.status_line, *lines = head.decode("latin-1").split("\r\n")
        self.status = int(self.status_line.split(" ")[1])
        self.headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            self.headers[name.lower()] = value.strip()
        if self.status != 200 or "text/event-stream" not in self.headers.get("content-type", ""):
            length = int(self.headers.get("content-length", 0))
            while len(rest) < length:
                piece = self._socket.recv(65536)
                if not piece:
                    break
                rest += piece
            raise StreamRefused(self.status, self.headers, rest)
        assert self.headers.get("transfer-encoding") == "chunked", "a stream to a client of HTTP/1.1 comes in chunks"
        self.chunks = ChunkDecoder()
        self._feed(rest)

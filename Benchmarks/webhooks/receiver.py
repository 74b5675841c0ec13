"""receiver.c, run from Python."""

import pathlib
import subprocess

PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "build/receiver"


class Receiver:
    """The receiver in a process of its own."""

    def __enter__(self):
        self.process = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}/"
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def counts(self):
        """Requests and connections so far."""
        self.process.stdin.write("?")
        self.process.stdin.flush()
        return map(int, self.process.stdout.readline().split())

"""The release build under callgrind: a hub whose instructions are counted from one moment to the next."""

import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from servers import Clarion  # noqa: E402

PRELOAD = HERE.parent / "build/sigsuspend.so"


class CannotCount(Exception):
    """This machine does not let it."""


class CountedHub(Clarion):
    """Counts what all threads of the process execute outside the kernel. They run one at a time, some thirty times slower."""

    patience = 120  # seconds; it starts within 8 on a quiet machine

    def command(self):
        # Valgrind 3.19 gives up at the DWARF 5 of Swift 6.3. The names of functions stay.
        program = self.folder / "clarion"
        subprocess.run(["strip", "--strip-debug", "-o", program, self.executable], check=True)
        _, *arguments = super().command()
        return [
            # Dictionaries are walked in the same order each time. Valgrind's own pipes lie in TMPDIR.
            "env", f"LD_PRELOAD={PRELOAD}", "SWIFT_DETERMINISTIC_HASHING=1", f"TMPDIR={self.folder}",
            "valgrind", "--tool=callgrind", f"--callgrind-out-file={self.folder}/counts", program, *arguments,
        ]  # fmt: skip

    def count(self):
        """Instructions since the last call (the first time: since the start), and the file that says whose they are."""
        self.wait_until_quiet()
        command = ["vgdb", f"--pid={self.process.pid}", "dump"]
        try:
            said = subprocess.run(command, env=dict(os.environ, TMPDIR=str(self.folder)), capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            raise CannotCount("valgrind gave no count for a minute: may processes trace one another here (ptrace)?") from None
        dumps = list(self.folder.glob("counts.*"))
        if said.returncode or not dumps:
            raise CannotCount(f"valgrind gave no count:\n{said.stdout}{said.stderr}{self.output()}")
        newest = max(dumps, key=lambda path: int(path.suffix[1:]))
        return int(re.search(r"^totals: (\d+)", newest.read_text(), re.MULTILINE)[1]), newest

    def wait_until_quiet(self):
        """Until every thread has slept for 0.1 s: what follows an answer, like writing outcomes down, is part of the work."""
        deadline = time.monotonic() + self.patience
        since = time.monotonic()
        while time.monotonic() - since < 0.1:
            states = self.thread_states()
            if set(states) != {"S"}:
                since = time.monotonic()
            if since > deadline:
                sys.exit(f"the hub does not come to rest: {' '.join(states)}\n{self.output()}")
            time.sleep(0.005)

    def thread_states(self):
        """A letter for each thread, as proc_pid_stat(5) has it. A thread may end between the listing and the look at it."""
        states = []
        for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
            try:
                states.append((task / "stat").read_text().rsplit(")", 1)[1].split()[0])
            except (FileNotFoundError, ProcessLookupError):
                states.append("X")
        return states

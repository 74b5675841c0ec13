"""The commands of a document, followed to the letter in bash."""

import os
import re
import signal
import subprocess

from hub_process import REPOSITORY, environment_without_settings
from waiting import wait_until


def code_blocks(text, language):
    """The code of a text, block by block."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.S | re.M)


class Bash:
    """One terminal, and as many others as streams are opened."""

    def __init__(self, tmp_path, replacements, **environment):
        """
        :param replacements: what stands elsewhere here, such as addresses.
        """
        self.hub = None
        self.replacements = dict(replacements)
        # Whatever is answered 400 and above is a failure.
        (tmp_path / ".curlrc").write_text("silent\nshow-error\nfail-with-body\nnoproxy = *\n")
        self.environment = environment_without_settings(CURL_HOME=str(tmp_path), **environment)
        self.output = tmp_path / "output"
        self.output.touch()
        self.streams = []
        self.shell = None
        self.blocks = 0

    def replaced(self, code):
        for shown, used in self.replacements.items():
            code = code.replace(shown, used)
        return code

    def follow(self, code):
        code = self.replaced(code)
        commands = []
        for command in re.sub(r"\\\n\s*|(?<=\|)\n\s*", " ", code).splitlines():
            if command.startswith("curl -N "):
                self.listen(command)
            else:
                commands.append(command)
        self.run("\n".join(commands))

    def listen(self, command):
        before = len(self.hub.observers(kind="stream"))
        # A shell that is replaced, so that what is ended is curl.
        self.streams.append(subprocess.Popen(
            ["bash", "-c", f"exec {command}"], env=self.environment, cwd=REPOSITORY, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
        self.hub.wait_for_observers(before + 1, kind="stream")

    def run(self, code):
        """Has the one shell run it, and waits; fails if any command of it fails."""
        if self.shell is None:
            # Standard error too: what a failing curl says.
            self.shell = subprocess.Popen(
                ["bash", "-e", "-o", "pipefail"], env=self.environment, cwd=REPOSITORY, text=True,
                stdin=subprocess.PIPE, stdout=open(self.output, "a"), stderr=subprocess.STDOUT, start_new_session=True)
        self.blocks += 1
        mark = f"=== block {self.blocks} is done ==="
        self.shell.stdin.write(f"{code}\necho; echo '{mark}'\n")
        self.shell.stdin.flush()
        wait_until(lambda: mark in self.said or self.shell.poll() is not None, what=f"the end of {code!r}")
        assert mark in self.said, f"{code}\n{self.said}"

    @property
    def said(self):
        return self.output.read_text()

    def stop(self):
        for stream in self.streams:
            stream.kill()
            stream.wait()
        if self.shell is not None:
            # The receiver that it has started, too.
            os.killpg(self.shell.pid, signal.SIGKILL)
            self.shell.wait()

    def wait_for_text(self, text):
        wait_until(lambda: text in self.said, what=f"{text!r} in {self.said!r}")

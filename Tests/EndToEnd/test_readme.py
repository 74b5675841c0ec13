"""The tour of README.md, followed to the letter in bash."""

import os
import re
import shutil
import signal
import subprocess

import pytest

from hub_process import REPOSITORY, environment_without_settings
from ports import free_port
from waiting import wait_until

README = (REPOSITORY / "README.md").read_text()


def blocks(heading, language):
    """The code of a section, block by block."""
    section = re.search(rf"^## {heading}\n(.*?)^## ", README, re.S | re.M).group(1)
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.S | re.M)


class Bash:
    """One terminal, and as many others as streams are opened."""

    def __init__(self, hub, tmp_path):
        self.hub = hub
        self.receiver_port = free_port()
        # Whatever is answered 400 and above is a failure.
        (tmp_path / ".curlrc").write_text("silent\nshow-error\nfail-with-body\nnoproxy = *\n")
        self.environment = environment_without_settings(CURL_HOME=str(tmp_path), PORT=str(self.receiver_port))
        self.output = tmp_path / "output"
        self.output.touch()
        self.streams = []
        self.shell = None
        self.blocks = 0

    def follow(self, code):
        code = code.replace("localhost:8080", f"127.0.0.1:{self.hub.port}").replace(":9000", f":{self.receiver_port}")
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


@pytest.fixture
def bash(start_hub, tmp_path):
    bash = Bash(start_hub("--allow-egress", "127.0.0.0/8"), tmp_path)
    yield bash
    bash.stop()


def wait_for_text(bash, text):
    wait_until(lambda: text in bash.said, what=f"{text!r} in {bash.said!r}")


@pytest.mark.skipif(shutil.which("node") is None, reason="this machine has no Node: run `make test-dependencies`")
def test_the_tour_is_true(bash):
    hub = bash.hub
    for block in blocks("A tour with curl", "sh"):
        bash.follow(block)
        if "order-mailer \\" in block:
            # The receiver of the tour has printed what the tour has posted, of the topic and type that it has.
            wait_for_text(bash, "orders.eu created {")
    assert [event["data"] for event in hub.history("greetings")] == ["hello"]
    orders = hub.history("orders.eu")
    assert [event["type"] for event in orders] == ["created", None, "created", "created"]
    assert [event["data"] for event in hub.history("readings")] == [{"celsius": 21.5}, {"celsius": 21.7}]
    assert hub.get("/topics/lamp/value").text == "on"
    assert hub.observers(kind="webhook") == []
    # The endpoint was tried out, with success.
    assert '"status":204' in bash.said
    # The last line ended the stream of exactly that pattern, and no other.
    greetings, orders, both = bash.streams
    assert orders.wait(15) == 0
    assert "event: created" in orders.stdout.read()
    assert greetings.poll() is None and both.poll() is None


def test_nothing_of_the_tour_needs_a_file_that_is_not_there():
    for block in blocks("A tour with curl", "sh"):
        assert not re.search(r"@(?!-)\S", block)
        for path in re.findall(r"Examples/\S+", block):
            assert (REPOSITORY / path).exists()


def test_every_link_of_the_readme_leads_to_a_file():
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", README):
        assert (REPOSITORY / target).exists(), target


def test_a_hub_for_others_is_as_easy_as_it_says(start_hub, executable, tmp_path):
    [block] = blocks("For others to use", "sh")
    create, run, post = block.strip().splitlines()
    environment = environment_without_settings()

    def bash(code):
        return subprocess.run(["bash", "-e", "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=30)

    create = create.replace(".build/release/clarion", str(executable))
    made = bash(f"{create}\nprintf %s \"$KEY\"")
    assert made.returncode == 0 and made.stdout.startswith("clk_"), made.stderr
    options = re.fullmatch(r"make run ARGS='(.*)'", run)[1].split()
    hub = start_hub(*options, folder_of_process=tmp_path)
    said = bash(f"KEY={made.stdout}\n" + post.replace("localhost:8080", f"127.0.0.1:{hub.port}"))
    assert '"topic":"orders.eu"' in said.stdout, said

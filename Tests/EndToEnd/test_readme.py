"""The tour of README.md, followed to the letter in bash."""

import re
import shutil
import subprocess

import pytest

from documented_commands import Bash, code_blocks
from hub_process import REPOSITORY, environment_without_settings
from ports import free_port

README = (REPOSITORY / "README.md").read_text()


def blocks(heading, language):
    """The code of a section, block by block."""
    return code_blocks(re.search(rf"^## {heading}\n(.*?)^## ", README, re.S | re.M).group(1), language)


@pytest.fixture
def bash(start_hub, tmp_path):
    hub = start_hub("--allow-egress", "127.0.0.0/8")
    port = free_port()
    bash = Bash(tmp_path, {"localhost:8080": f"127.0.0.1:{hub.port}", ":9000": f":{port}"}, PORT=str(port))
    bash.hub = hub
    yield bash
    bash.stop()


@pytest.mark.skipif(shutil.which("node") is None, reason="this machine has no Node: run `make test-dependencies`")
def test_the_tour_is_true(bash):
    hub = bash.hub
    for block in blocks("A tour with curl", "sh"):
        bash.follow(block)
        if "order-mailer \\" in block:
            # The receiver of the tour has printed what the tour has posted, of the topic and type that it has.
            bash.wait_for_text("orders.eu created {")
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

"""The command that stands below the form posts the event of the form, byte for byte."""

from __future__ import annotations

import subprocess

import pytest

from hub_process import events_path

DEEP = "[" * 100 + "]" * 100
CASES = {
    "text": ("hello", ""), "json": ('{"a":1}', ""), "no data": ("", ""), "a number": ("17", ""), "no json": ("{braces}", ""),
    "json that the hub takes for text": (DEEP, ""), "a member twice": ('{"a":1,"a":2}', ""), "blanks before json": (" \n\t[1]", ""),
    "text that is json": ('{"a":1}', "text/plain"), "utf-8 text that is json": ('{"a":1}', "text/plain; charset=utf-8"),
    "plain text": ("hello", "text/plain"), "utf-8 text": ("hello", "text/plain; charset=utf-8"), "other text": ("hello", "text/plain; charset=latin1"),
    "text that is said to be json": ("hello", "application/json"), "json of a kind": ('{"a":1}', "application/vnd.order+json"),
    "a form": ("a=1", "application/x-www-form-urlencoded"), "quotes": ("it's \"$HOME\" `id` \\n !", 'text/x; note="it\'s"'),
    "a file's name": ("@/etc/passwd", ""), "lines": ("one\ntwo\n", ""), "letters": ("Grüße 👋", ""), "no header": ("x", "text/größe"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_command_stores_what_the_form_stores(shared_hub, console, topic, case):
    data, content_type = CASES[case]
    console.url = shared_hub.url
    console.open_live()
    for name, text in {"topic": topic, "type": "it's made", "body": data, "content-type": content_type}.items():
        console.fill(f"#post-{name}", text)
    command = console.run("return document.querySelector('#post-command code').textContent")
    console.press("Post event", "#post")
    console.wait(lambda: console.texts("#post-result .message-success"), "the answer")
    run = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=20)
    assert run.returncode == 0, run.stderr
    events = shared_hub.history(topic)
    by_form, by_command = (shared_hub.get(f"{events_path(topic)}/{event['id']}") for event in events)
    assert by_command.headers["Content-Type"] == by_form.headers["Content-Type"]
    assert by_command.content == by_form.content == data.encode()
    assert [event["type"] for event in events] == ["it's made"] * 2


def test_the_simplest_command_stays_simple(shared_hub, console, topic):
    console.url = shared_hub.url
    console.open_live()
    console.fill("#post-topic", topic)
    text = "return document.querySelector(arguments[0]).textContent"
    assert console.run(text, "#post-command code") == f"curl -d hello {shared_hub.url}/topics/{topic}/events"
    assert console.run(text, "#first-post-command code") == f"curl -d hello {shared_hub.url}/topics/greetings/events"

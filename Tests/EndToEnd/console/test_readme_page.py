"""What README.md shows of a browser, on a page of the hub."""

from test_readme import blocks


def test_the_page_of_the_readme_hears_its_own_event(hub, console):
    [code] = blocks("In a browser", "js")
    console.open_live()
    console.run(
        "window.heard = []; console.log = (...words) => window.heard.push(words);"
        # The post of the example must not win the race against its stream.
        + code.replace("fetch(", "events.onopen = () => fetch("))
    console.wait(lambda: console.run("return window.heard.length"), "the event")
    assert console.run("return window.heard") == [["orders.eu", "created", {"total": 12}]]

"""The page of the hub's health: from `/metrics` where one may read it, else added up from the lists."""

from __future__ import annotations

import pytest

from credentials import CredentialsFile, grant

READ = """
    const [text, done] = arguments
    import("/scripts/health/metrics-text.js").then(({ readMetrics, total, buckets, quantile }) => {
        const metrics = readMetrics(text)
        const now = buckets(metrics, "d_seconds")
        done({ all: [...metrics], posts: total(metrics, "posts", ({ result }) => result === "ok"), none: total(metrics, "absent"),
               half: quantile([], now, 0.5), last: quantile([], now, 1), nothing: quantile(now, now, 0.5) })
    })
"""

TEXT = """# HELP posts "quoted" {braces}
# TYPE posts counter
posts{result="ok",note="a \\"b\\", c=\\"d\\" }"} 3
posts{result="refused"} 4e2 1700000000000
bare 1.5
d_seconds_bucket{le="0.1"} 1
d_seconds_bucket{le="2.5"} 4
d_seconds_bucket{le="+Inf"} 5
"""


def tiles(console):
    return dict(zip(console.texts(".tile dt"), console.texts(".tile-value")))


def test_it_reads_the_text_of_prometheus(console):
    console.open()
    read = console.driver.execute_async_script(READ, TEXT)
    assert dict(read["all"])["posts"] == [
        {"labels": {"result": "ok", "note": 'a \\"b\\", c=\\"d\\" }'}, "value": 3}, {"labels": {"result": "refused"}, "value": 400}]
    assert (read["posts"], read["none"], dict(read["all"])["bare"]) == (3, None, [{"labels": {}, "value": 1.5}])
    assert (read["half"], read["last"], read["nothing"]) == (2.5, 2.5, None)


def test_it_shows_what_the_hub_does_and_remembers_it_over_a_reload(hub, console, topic):
    has_metrics = hub.get("/metrics").status_code == 200
    console.forgiven = "" if has_metrics else "status of 404"
    for number in range(7):
        hub.post(topic, str(number).encode())
    console.open_at("#/health")
    console.wait_for_text(".title-row .state", "Ready")
    console.wait_for_text(".hint", "Drawn from /metrics" if has_metrics else "This hub has no /metrics")
    console.wait(lambda: "Log" in tiles(console) and tiles(console)["Streams"] != "–", "its numbers")
    console.wait_for_text(".tile-note", "7 events")
    hub.post(topic, b"8")
    console.wait_for_text(".tile-note", "8 events")
    readings = "return JSON.parse(Object.entries(sessionStorage).find(([key]) => key.includes('readings'))?.[1] ?? '[]').length"
    console.driver.refresh()
    console.wait_for_state("live")
    assert console.run(readings) >= 2
    label = console.wait(lambda: console.run("return document.querySelector('.chart')?.getAttribute('aria-label')"), "a drawing")
    assert "now; at most" in label


def test_the_first_second_is_told_as_a_beginning(hub, console):
    console.forgiven = "status of 404"
    console.open_at("#/events")
    # No word of it is missed, however short it stands there.
    console.run("""
        window.said = new Set()
        new MutationObserver(() => document.querySelectorAll(".hint").forEach(({ textContent }) => said.add(textContent)))
            .observe(document.querySelector("#page"), { childList: true, subtree: true })
        location.hash = "#/health"
    """)
    console.wait_for_text(".hint", "Watched for")
    said = [text[text.index("Watched"):] for text in console.run("return [...said]") if "Watched" in text]
    assert said[0] == "Watched from now on, an hour at most."
    assert not any("ms" in text for text in said)


def test_without_the_right_to_the_metrics_it_adds_up_and_asks_for_nothing(start_hub, tmp_path, console):
    file = CredentialsFile(tmp_path, {"reader": grant("orders.**")})
    hub = start_hub("--credentials", str(file.path), "--durability", "process")
    hub.session.headers["Authorization"] = f"Bearer {file.keys['reader']}"
    hub.post("orders.eu", b"1")
    console.url, console.forgiven = hub.url, "status of 40"
    console.driver.get(f"{hub.url}/#/events?topic=orders.eu")
    console.wait(lambda: console.find("#token-form").is_displayed(), "the question for a credential")
    console.fill("#token", file.keys["reader"])
    console.find("#token-form [type=submit]").click()
    console.wait_for_state("live")
    console.run("location.hash = '#/health'")
    console.wait_for_text(".tile-note", "1 events")
    console.wait_for_text(".hint", "added up from the lists")
    assert not console.find("#token-form").is_displayed()
    # What one credential may see is not kept for the next.
    console.press("Forget token")
    # It may be asked once more without any, which is told nothing.
    console.wait(lambda: console.run("""
        const kept = Object.values(sessionStorage).flatMap((text) => JSON.parse(text)).flatMap(Object.entries)
        return kept.filter(([name, value]) => !["at", "source", "delays"].includes(name) && value !== null).length
    """) == 0, "nothing to be kept")
    console.wait(lambda: console.texts(".chart") == [], "the drawings to be gone")


#: Has `/metrics`, or the list of topics where there is none, answered as a proxy or the hub would for now.
ANSWER_OTHERWISE = """
    const [status, type, body] = arguments
    const asked = window.fetch
    window.fetch = async (url, options) => (/[/](metrics|topics[?].*)$/.test(url)
        ? new Response(body, { status, headers: { "Content-Type": type } }) : asked(url, options))
"""
RATE_LIMITED = '{"title": "Too many requests", "status": 429, "code": "rate-limited", "detail": "Wait for a minute."}'


@pytest.mark.parametrize("status, type, body, words", [
    (503, "text/plain", "busy", "No new numbers: The answer was 503"),
    (429, "application/problem+json", RATE_LIMITED, "No new numbers: Too many requests: Wait for a minute.")])
def test_what_the_hub_answers_is_not_told_as_silence(hub, console, status, type, body, words):
    console.forgiven = "status of 404"
    console.open_at("#/health")
    console.wait_for_text(".hint", "Watched for")
    console.run(ANSWER_OTHERWISE, status, type, body)
    console.wait_for_text(".page-head .hint", words)
    assert console.texts(".title-row .state") == ["Ready"]
    assert console.texts(".state-words") == ["The hub is alive and takes posts."]


def test_a_hub_that_does_not_answer_is_said_to_be_silent(hub, console, line):
    console.open_at("#/health")
    console.wait_for_text(".title-row .state", "Ready")
    line.cut()
    console.wait_for_text(".title-row .state", "No answer")
    console.complaints()

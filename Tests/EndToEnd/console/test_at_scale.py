"""The console of a hub that has much in it. In full (`CLARION_LOAD=full`): 100,000 events, 200 topics, 30 webhooks of which five
fail in different ways, and a picture of each page, light and dark, wide and narrow (kept in `CLARION_PICTURES`, if that names a folder)."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import time

import pytest

from figures import ENFORCED as FULL
from hub_process import events_path
from test_webhook_isolation import Program
from waiting import wait_until
from webhook_receiver import WebhookReceiver

EVENTS, TOPICS, WEBHOOKS = (100_000, 200, 30) if FULL else (2_000, 20, 9)
BATCH = 500
BAD = {"hang": "Mail gateway", "reset": "Old ERP", "error": "Partner feed", "gone": "Last year's shop", "tls": "Bank"}
NOUNS = ["orders", "payments", "users", "stock", "shipping", "emails", "sensors", "audit", "returns", "invoices"]
VERBS = ["created", "updated", "paid", "cancelled", "failed"]
SERVICES = ["warehouse", "shop", "ledger", "search index", "data lake"]
#: Width, and whether it is dark. Without the pictures one after the other has to do.
VARIANTS = list(itertools.product((1280, 390), (False, True)))
#: Elements of any page, and seconds until it shows what it has.
MOST_ELEMENTS, LONGEST = 12_000, 3.0


def topic_name(number):
    noun, verb = NOUNS[number % len(NOUNS)], VERBS[number // len(NOUNS) % len(VERBS)]
    return f"{noun}.{verb}" if number < 50 else f"{noun}.{verb}.region-{number // 50}"


def order(chance):
    customer = chance.choice(["Ada", "Grace", "Jürgen", "Chiyoko"])
    return {"id": chance.randrange(10**6), "total": round(chance.random() * 200, 2), "customer": customer,
            "items": [{"sku": f"A-{chance.randrange(99)}", "count": chance.randrange(1, 5)}]}


@pytest.fixture
def full_hub(start_hub):
    """A hub with all of it, and how long it took to fill."""
    hub = start_hub("--allow-egress", "127.0.0.0/8", "--durability", "process", "--webhooks-retry", "1s,30s,5m")
    chance = random.Random(14)
    with Program("bad_receivers.py") as bad, WebhookReceiver() as well:
        names = [topic_name(number) for number in range(TOPICS)]
        for kind, description in BAD.items():
            scheme = "https" if kind == "tls" else "http"
            hub.request("PUT", f"/observers/{kind}", json={
                "topics": [names[0], names[1]], "url": f"{scheme}://127.0.0.1:{bad.line[kind]}/hook", "description": description})
        for number in range(WEBHOOKS - len(BAD)):
            topic = names[number % TOPICS]
            hub.request("PUT", f"/observers/well-{number}", json={
                "topics": [topic], "url": well.url(f"/{number}"),
                "description": f"{topic.split('.')[0].capitalize()} to the {SERVICES[number % len(SERVICES)]}", "enabled": number != 3})
        for start in range(0, EVENTS, BATCH):
            name = names[start // BATCH % TOPICS]
            lines = "\n".join(json.dumps(order(chance)) for _ in range(BATCH if FULL else min(BATCH, EVENTS // TOPICS)))
            headers = {"Content-Type": "application/x-ndjson", "Event-Type": name.split(".")[1]}
            assert hub.request("POST", events_path(name), data=lines.encode(), headers=headers).status_code == 201
        for name in names:
            hub.post(name, json.dumps(order(chance)).encode(), type=name.split(".")[1], headers={"Content-Type": "application/json"})
        wait_until(lambda: hub.observer("gone")["state"] == "disabled" and hub.observer("hang")["stats"]["pending"] > 0)
        wait_until(lambda: hub.observer("well-0")["stats"]["pending"] == 0, deadline=120)
        yield hub, names


def pages(names):
    """Of each page its address, and what is there when it is whole."""
    return {
        "events": ("#/events", ".event-row"),
        "event": (f"#/events?topic={names[2]}", ".event-row"),
        "topics": ("#/topics", ".topic-row"),
        "topic": (f"#/topics/{names[0]}", ".value-current .event-body"),
        "webhooks": ("#/webhooks", ".webhook-row"),
        "webhook": ("#/webhooks/well-0", ".delivery-line"),
        "webhook-failing": ("#/webhooks/error", ".delivery-line"),
        "webhook-disabled": ("#/webhooks/gone", ".delivery-line"),
        "observers": ("#/observers", ".observer-row"),
        "health": ("#/health", ".chart"),
    }


@pytest.mark.measured
def test_every_page_stays_small_and_quick_whatever_the_hub_holds(full_hub, console, tmp_path, figure):
    hub, names = full_hub
    console.url, console.forgiven = hub.url, "metrics"
    for number, (page, (fragment, mark)) in enumerate(pages(names).items()):
        for width, dark in VARIANTS if FULL else [VARIANTS[number % len(VARIANTS)]]:
            scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
            console.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
            began = time.monotonic()
            console.open_at(fragment, width=width, height=844 if width < 600 else 800)
            console.wait(lambda: console.all(mark), mark)
            figure.at_most(time.monotonic() - began, LONGEST, f"seconds until {page} is there")
            if page == "event":
                console.run("document.querySelector('.event-row').click()")
            if page.startswith("webhook-"):
                console.run("document.querySelector('.delivery-line').click()")
                console.wait(lambda: console.all(".attempt, .delivery-detail .hint"), "the attempts, if there are any")
            assert console.run("return document.documentElement.scrollWidth") <= width, page
            assert console.run("return document.querySelectorAll('*').length") < MOST_ELEMENTS, page
            console.take_picture(f"{page}-{width}-{'dark' if dark else 'light'}")
    console.open_at("#/webhooks")
    states = console.wait(lambda: len(console.all(".webhook-row")) == WEBHOOKS and console.texts(".webhook-row .state"), "all webhooks")
    assert states.count("Paused") == 1
    # One that hangs has failed only after 15 s.
    assert sum(state in ("Failing", "Braked", "Disabled") for state in states) >= len(BAD) - 1
    console.open_at("#/topics")
    console.wait_for_text(".page-summary", f"{TOPICS + 1} topics")
    if folder := os.environ.get("CLARION_PICTURES"):
        shutil.copytree(tmp_path, folder, ignore=lambda _, names: [name for name in names if not name.endswith(".png")], dirs_exist_ok=True)

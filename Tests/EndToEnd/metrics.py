"""What `/metrics` says, read by the parser of Prometheus's own client for Python."""

import shutil
import subprocess

import pytest
from prometheus_client.parser import text_string_to_metric_families

from waiting import DEADLINE, wait_until

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Reading:
    """One reading of `/metrics`."""

    def __init__(self, text):
        self.text = text
        self.families = {family.name: family for family in text_string_to_metric_families(text)}
        self.samples = {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in self.families.values() for sample in family.samples}

    @classmethod
    def of(cls, hub, **options):
        response = hub.get("/metrics", **options)
        assert response.status_code == 200, response.text
        assert response.headers["Content-Type"] == CONTENT_TYPE
        return cls(response.text)

    def __getitem__(self, name):
        """The value of a metric without labels."""
        return self.value(name)

    def value(self, name, **labels):
        return self.samples[name, frozenset(labels.items())]

    def by(self, name, label):
        """The values of a metric with one label that are not 0."""
        return {
            dict(labels)[label]: value for (found, labels), value in self.samples.items()
            if found == name and value and label in dict(labels)}

    def gained(self, former, name, label):
        """By how much the values of a metric with one label have grown, as far as they have."""
        before = former.by(name, label)
        return {
            key: value - before.get(key, 0) for key, value in self.by(name, label).items()
            if value != before.get(key, 0)}

    def requests(self, former=None):
        """Answers by route, method and status, those that a former reading has left out."""
        def counts(reading):
            return {
                (dict(labels)["route"], dict(labels)["method"], dict(labels)["status"]): value
                for (name, labels), value in reading.samples.items() if name == "clarion_http_requests_total"}

        before = counts(former) if former else {}
        gained = {key: value - before.get(key, 0) for key, value in counts(self).items()}
        return {key: value for key, value in gained.items() if value and key[0] != "/metrics"}


def wait_for(hub, condition, what, deadline=DEADLINE, **options):
    """Reads until a condition on the reading holds, and returns that reading."""
    def read():
        reading = Reading.of(hub, **options)
        return reading if condition(reading) else None

    return wait_until(read, deadline, what)


def promtool(*arguments, input=None):
    """Prometheus's own checker."""
    if not shutil.which("promtool"):
        pytest.skip("promtool is not installed: apt-get install prometheus")
    return subprocess.run(["promtool", *arguments], input=input, capture_output=True, text=True, timeout=30)

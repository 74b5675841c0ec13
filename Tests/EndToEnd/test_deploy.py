"""What lies in `deploy/`: alerts and a dashboard, checked by Prometheus and against a hub."""

import json
import re

import pytest

from hub_process import REPOSITORY
from metrics import Reading, promtool
from test_metrics import documented_metrics

RULES = REPOSITORY / "deploy" / "prometheus" / "clarion-rules.yml"
DASHBOARD = REPOSITORY / "deploy" / "grafana" / "clarion.json"

#: What Prometheus itself says, and what it adds to every series.
OF_PROMETHEUS, ADDED = {"up"}, {"job", "instance"}
#: What not every hub has: see test_cluster_status.py and test_tls.py.
OF_SOME = {name for name in documented_metrics() if name.startswith(("clarion_cluster_", "clarion_tls_"))}


def panels():
    return [panel for panel in json.loads(DASHBOARD.read_text())["panels"] if panel["type"] != "row"]


def queries():
    """The dashboard's, with Grafana's variables filled in."""
    found = [target["expr"] for panel in panels() for target in panel["targets"]]
    assert len(found) > 30
    return [query.replace("$__rate_interval", "5m").replace("$instance", ".*") for query in found]


def alerts():
    """The rules' expressions: in each the metrics and selectors, so that no parser of YAML is needed."""
    text = re.sub(r"(?m)^ *#.*$", "", RULES.read_text())
    found = re.findall(r"expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)", text)
    assert len(found) == text.count("- alert:") > 10
    return [block or line for block, line in found]


def selectors(expression):
    """The metrics that an expression names, each with its matchers by label."""
    for name, matchers in re.findall(r"\b((?:clarion|process)_\w+|up)\b(?:\{([^}]*)\})?", expression):
        yield name, {label: (operator, value) for label, operator, value in re.findall(r'(\w+)(=~|!~|!=|=)"([^"]*)"', matchers)}


def test_promtool_takes_the_rules():
    checked = promtool("check", "rules", str(RULES))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert f"{len(alerts())} rules found" in checked.stdout


def test_promtool_takes_the_queries_of_the_dashboard(tmp_path):
    rules = [{"record": f"panel:{number}", "expr": query} for number, query in enumerate(queries())]
    file = tmp_path / "queries.yml"
    # JSON is YAML.
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    checked = promtool("check", "rules", str(file))
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize("expressions", [alerts, queries])
def test_everything_that_is_named_is_there(shared_hub, expressions):
    Reading.of(shared_hub)
    samples = [(name, dict(labels)) for name, labels in Reading.of(shared_hub).samples]
    known = {name for name, _ in samples} | OF_PROMETHEUS | OF_SOME
    for expression in expressions():
        for name, matchers in selectors(expression):
            assert name in known, expression
            labels = {label: set() for found, values in samples if found == name for label in values}
            for found, values in samples:
                for label, value in values.items() if found == name else ():
                    labels[label].add(value)
            for label, (operator, text) in matchers.items():
                if label in ADDED:
                    continue
                assert label in labels, expression
                # Statuses are those that were answered so far.
                values = text.split("|") if operator in ("=~", "!~") else [text]
                assert label == "status" or set(values) <= labels[label], f"{text} in {expression}"


def test_the_dashboard_shows_every_metric_of_the_hub(shared_hub):
    shown = {name for query in queries() for name, _ in selectors(query)}
    families = {re.sub(r"_(bucket|sum|count)$", "", name) for name in shown}
    found = {line.split(" ")[2] for line in Reading.of(shared_hub).text.splitlines() if line.startswith("# TYPE clarion_")}
    assert found - families - shown == set()


def test_the_panels_of_the_dashboard_do_not_overlap():
    places = [panel["gridPos"] for panel in json.loads(DASHBOARD.read_text())["panels"]]
    cells = [(x, y) for place in places for x in range(place["x"], place["x"] + place["w"])
             for y in range(place["y"], place["y"] + place["h"])]
    assert len(cells) == len(set(cells))
    assert all(0 <= x < 24 for x, _ in cells)
    numbers = [panel["id"] for panel in json.loads(DASHBOARD.read_text())["panels"]]
    assert len(numbers) == len(set(numbers))

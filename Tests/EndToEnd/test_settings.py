"""The settings of `clarion serve`: names that nobody knows, one way to write sizes and times, and files that are no settings."""

import base64
import json
import os
import re

import pytest

from hub_process import REPOSITORY, environment_without_settings
from test_serving import refusal

SIZES = {"max-body": "1MiB", "connection-memory": "16KiB", "max-reader-memory": "64MiB", "max-body-memory": "64MiB",
         "retention-bytes": "1GiB"}
TIMES = {"keep-alive": "15s", "retention-age": "1h30m", "webhooks-disable-after": "12h"}
NUMBERS = {"port": "9000", "retention-events": "10"}
TEXTS = ["host", "log", "durability", "credentials", "public-url", "tls-cert", "tls-key", "egress-proxy", "webhooks-origin",
         "webhooks-ca-file", "master-key-file", "public", "log-level", "log-format"]

LISTS = {"allow-host": "hub.example.com", "allow-origin": "https://app.example.com", "trusted-proxy": "10.0.0.0/8",
         "allow-egress": "10.0.0.0/8"}


def variable(name):
    return "CLARION_" + name.upper().replace("-", "_")


@pytest.fixture
def serve(clarion, tmp_path):
    """Runs a hub that is to refuse its settings."""
    def run(*arguments, settings=None, environment=None):
        if settings is not None:
            file = tmp_path / "settings.json"
            file.write_text(settings if isinstance(settings, str) else json.dumps(settings))
            arguments = (*arguments, "--config", file)
        result = clarion("serve", "--data", tmp_path / "data", *arguments, environment=environment or {})
        assert not (tmp_path / "data").exists(), "nothing is made before the settings are checked"
        return result
    return run


# Names

@pytest.mark.parametrize("name, meant", [
    ("prot", "port"), ("max_body", "max-body"), ("maxBody", "max-body"), ("retention-evnets", "retention-events"),
    ("allow-egres", "allow-egress"), ("Port", "port"), ("log-levle", "log-level")])
def test_an_unknown_member_of_the_file_is_refused_with_the_nearest(serve, name, meant):
    assert refusal(serve("--port", "0", settings={name: 1}), f"{name}:", f"did you mean {meant}?", "settings.json") == 64


@pytest.mark.parametrize("name", ["", "frobnicate", "config", "help", "a\nb", "x" * 100_000, "port.x", "ü"])
def test_an_unknown_member_that_is_like_none(serve, name):
    shown = name.replace("\n", " ")
    assert refusal(serve("--port", "0", settings={"port": 0, name: None}), f"{shown}: there is no such setting") == 64


@pytest.mark.parametrize("name, meant", [
    ("CLARION_PROT", "CLARION_PORT"), ("CLARION_MAXBODY", "CLARION_MAX_BODY"), ("CLARION_ALLOW_EGRES", "CLARION_ALLOW_EGRESS"),
    ("CLARION_MASTERKEY", "CLARION_MASTER_KEY"), ("CLARION_port", "CLARION_PORT")])
def test_an_unknown_variable_is_refused_with_the_nearest(serve, name, meant):
    assert refusal(serve("--port", "0", environment={name: "1"}), f"{name}:", f"did you mean {meant}?", "environment") == 64


# What is misspelled would be ignored: the hub would be open although its operator thinks otherwise.
@pytest.mark.parametrize("name", ["CLARION_", "CLARION_FROBNICATE", "CLARION_CREDENTIAL", "CLARION_PORTS_1"])
def test_an_unknown_variable_that_is_like_none(serve, name):
    assert refusal(serve("--port", "0", environment={name: ""}), f"{name}: there is no such setting") == 64


@pytest.mark.parametrize("name", ["CLARION_FOO", "CLARION_CA", "CLARION_X"])
def test_a_short_variable_is_like_none_by_what_all_begin_with(serve, name):
    result = serve("--port", "0", environment={name: "1"})
    assert refusal(result, f"{name}: there is no such setting") == 64 and "Did you mean" not in result.stderr


def test_variables_of_others_are_passed_over(start_hub):
    hub = start_hub("--port", "0", environment={
        "CLARION_URL": "http://hub", "CLARION_TOKEN": "x", "clarion_port": "1", "CLARIONET": "1", "MY_CLARION_X": "1",
        # What Kubernetes tells of a service called "clarion".
        "CLARION_PORT": "tcp://10.0.0.1:8080", "CLARION_SERVICE_HOST": "10.0.0.1", "CLARION_SERVICE_PORT": "8080",
        "CLARION_SERVICE_PORT_HTTP": "8080", "CLARION_PORT_8080_TCP": "tcp://10.0.0.1:8080",
        "CLARION_PORT_8080_TCP_ADDR": "10.0.0.1", "CLARION_PORT_8080_TCP_PORT": "8080", "CLARION_PORT_8080_TCP_PROTO": "tcp"})
    assert hub.get("/healthz").status_code == 200


def test_every_option_is_known_to_the_environment_and_the_file(clarion, serve):
    """What --help lists, given a value that no setting takes: it is refused for its value, not for its name."""
    options = set(re.findall(r"--([a-z-]+)", clarion("serve", "--help").stdout.partition("OPTIONS:")[2])) - {"version", "help"}
    assert len(options) > 20
    for name in options:
        # Known, so whatever is wrong is another.
        result = serve("--port", "70000", environment={variable(name): "?"})
        assert result.returncode == 64 and "no such setting" not in result.stderr
        if name != "config":
            result = serve("--port", "70000", settings={name: {}})
            assert refusal(result, f"--{name}:", "must be") == 64


def test_every_option_is_documented_with_its_default(clarion):
    """The table of docs/operating.md against --help: names, and defaults where they are values."""
    said = re.sub(r"\s+", " ", clarion("serve", "--help").stdout.partition("OPTIONS:")[2])
    said = dict(re.findall(r" --([a-z-]+)((?:(?! --[a-z-]+ ).)*)", said))
    text = (REPOSITORY / "docs/operating.md").read_text()
    rows = re.findall(r"^\| (`--.*?) \| (.*?) \|", text, re.M)
    documented = {name: default for names, default in rows for name in re.findall(r"--([a-z-]+)", names)}
    assert set(documented) == set(said) - {"version", "help"}
    for name, default in documented.items():
        # Others are words, such as "the system's".
        if re.fullmatch(r"`[\w.]+`|\d\w*", default):
            assert re.search(r"\(default: ([\w.]+)[,)]", said[name])[1] == default.strip("`"), name


# Sizes and times

@pytest.mark.parametrize("kind", ["option", "environment", "file"])
def test_sizes_and_times_are_taken_everywhere(start_hub, tmp_path, topic, kind):
    given = {**SIZES, **TIMES, "max-body": "2KiB"}
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(given))
    options = {"option": [word for name, value in given.items() for word in (f"--{name}", value)],
               "file": ["--config", str(file)]}.get(kind, [])
    environment = {variable(name): value for name, value in given.items()} if kind == "environment" else {}
    hub = start_hub(*options, environment=environment)
    hub.post(topic, b"x" * 2048)
    assert hub.request("POST", f"/topics/{topic}/events", data=b"x" * 2049).status_code == 413


@pytest.mark.parametrize("kind", ["option", "environment", "file"])
@pytest.mark.parametrize("name, values", [
    *((name, ["1MB", "1mib", "1 MiB", "1.5MiB", "-1", "", "many", "9999999999TiB", "0"]) for name in SIZES),
    *((name, ["15 s", "1.5h", "15S", "-1s", "", "soon", "0s", "99999999d", "1m1h"]) for name in TIMES),
    *((name, ["1KiB", "1s", "", "x", "-1", "1.5", "99999999999999999999"]) for name in NUMBERS)],
    ids=[*SIZES, *TIMES, *NUMBERS])
def test_what_is_none_is_refused_everywhere_by_its_name(serve, kind, name, values):
    # An empty option is refused by the parser of arguments, with how to call it.
    for value in filter(None, values) if kind == "option" else values:
        port = () if name == "port" else ("--port", "0")
        result = {
            "option": lambda: serve(*port, f"--{name}={value}"),
            "environment": lambda: serve(*port, environment={variable(name): value}),
            "file": lambda: serve(*port, settings={name: value})}[kind]()
        assert refusal(result, f"--{name}:") == 64


@pytest.mark.parametrize("settings", [
    {"max-body": 1.5}, {"max-body": True}, {"port": True}, {"keep-alive": False}, {"retention-age": 7}, {"open": "yes"},
    {"open": 1}, {"host": 1}, {"allow-egress": "10.0.0.0/8"}, {"allow-egress": [1]}, {"log-level": ["a"]}, {"port": {"number": 1}}])
def test_a_member_of_another_type_is_refused_by_its_name(serve, settings):
    [name] = settings
    port = () if name == "port" else ("--port", "0")
    assert refusal(serve(*port, settings=settings), f"--{name}:") == 64


@pytest.mark.parametrize("name", TEXTS)
def test_an_empty_text_is_not_taken_for_a_value(serve, name):
    for result in (serve("--port", "0", environment={variable(name): ""}), serve("--port", "0", settings={name: ""})):
        assert refusal(result, f"--{name}: is empty: give it a value, or leave it out") == 64


@pytest.mark.parametrize("name", [*TEXTS, *NUMBERS, *SIZES, *TIMES, *LISTS, "open", "webhooks-retry"])
def test_null_is_not_taken_for_a_setting_that_is_left_out(serve, name):
    """A template whose variable is missing must not open the hub."""
    result = serve("--port", "0", settings={name: None})
    assert refusal(result, f"--{name}: is null in", "settings.json", "leave it out") == 64


@pytest.mark.parametrize("kind", ["option", "environment", "file"])
@pytest.mark.parametrize("name, values", [
    *((name, {"": "is empty", f"{good},": "has an empty element", f"{good},,{good}": "has an empty element", " , ": "has an empty"})
      for name, good in LISTS.items()),
    ("allow-host", {"*": "is no host", "a b": "is no host", "*.example.com": "is no host"}),
    ("webhooks-retry", {
        "": "is empty", "5s,,5s": "an empty element", "5s,": "an empty element", "0s": "is not a time", "5s,0s": "is not a time"}),
    ("port", {"+80": "must be a whole number"}),
    ("rate", {"+5/s": "is not a rate"}),
    ("keep-alive", {"+15": "is not a time"}),
    ("host", {"999.1.1.1": "is no address", "[::1]": "is no address", " 127.0.0.1": "is no address", "1:2": "is no address",
              "a b": "is no address", "*": "is no address"}),
], ids=lambda value: value if isinstance(value, str) else "")
def test_what_cannot_be_meant_is_refused_by_its_name(serve, kind, name, values):
    port = () if name == "port" else ("--port", "0")
    is_list = name in [*LISTS, "webhooks-retry"]
    for value, words in values.items():
        result = {
            "option": lambda: serve(*port, f"--{name}", value),
            "environment": lambda: serve(*port, environment={variable(name): value}),
            "file": lambda: serve(*port, settings={name: [value] if is_list else value})}[kind]()
        assert refusal(result, f"--{name}:", words) == 64


def test_lists_are_taken_with_blanks_around_their_elements(start_hub):
    environment = {"CLARION_ALLOW_HOST": "a.example, b.example", "CLARION_WEBHOOKS_RETRY": "5s, 10s"}
    hub = start_hub("--allow-egress", "10.0.0.0/8 , 127.0.0.0/8", environment=environment)
    assert hub.get("/healthz", headers={"Host": "b.example"}).status_code == 200


def test_an_empty_list_is_as_good_as_none(start_hub, tmp_path):
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({name: [] for name in [*LISTS, "webhooks-retry"]}))
    assert start_hub("--config", file).get("/healthz").status_code == 200


@pytest.mark.parametrize("host", ["::1", "localhost", "127.0.0.2"])
def test_addresses_and_names_are_listened_on(start_hub, host):
    start_hub("--host", host)


# The file

def test_a_file_that_is_missing_and_one_that_is_malformed_are_told_apart(serve, tmp_path):
    missing = tmp_path / "none.json"
    assert refusal(serve("--config", missing), "--config:", "there is no file", str(missing)) == 64
    assert refusal(serve("--config", tmp_path), "--config:", "directory") == 64
    assert refusal(serve(settings='{"port": 1,\n "host" "x"}'), "--config:", "settings.json", "not valid JSON", "line 2") == 64
    assert refusal(serve(settings=""), "--config:", "not valid JSON", "line 1") == 64
    assert refusal(serve(settings='{"port": 1,\n\n}'), "line 3") == 64
    assert refusal(serve(settings='{"port": 1,\n "port": 2}'), "two members of one name", "line 2") == 64
    assert refusal(serve(settings="[1]"), "no JSON object") == 64


def test_a_file_may_be_a_pipe(serve, executable, tmp_path):
    """As `--config <(…)` makes one."""
    import subprocess
    result = subprocess.run(
        ["bash", "-c", f"{executable} serve --data {tmp_path}/data --config <(sleep 0.2; echo '{{\"prot\": 1}}')"],
        capture_output=True, text=True, timeout=10, env=environment_without_settings())
    assert refusal(result, "did you mean port?") == 64


def test_a_pipe_that_nobody_writes_to_holds_nobody_up(serve, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert refusal(serve("--config", tmp_path / "pipe"), "--config:", "not valid JSON") == 64
    assert refusal(serve("--config", "/dev/null"), "--config:", "/dev/null is not a file") == 64


@pytest.mark.parametrize("contents", [None, "folder", "", "{", '{"keys": [{"name": "a"}]}'])
def test_credentials_that_cannot_be_used_are_refused_by_the_name_of_the_option(clarion, tmp_path, contents):
    file = tmp_path / "credentials.json"
    if contents == "folder":
        file.mkdir()
    elif contents is not None:
        file.write_text(contents)
    result = clarion("serve", "--port", "0", "--data", tmp_path / "data", "--credentials", file)
    assert refusal(result, f"--credentials: {file}: ") == 64


@pytest.mark.parametrize("url", ["http://127.0.0.1:25/keys", "http://id.example:6667/keys", "https://2130706433.1/keys"])
def test_a_key_set_that_can_never_be_fetched_is_refused(clarion, tmp_path, url):
    file = tmp_path / "credentials.json"
    file.write_text(json.dumps({"jwt": [{"issuer": "https://id.example", "algorithms": ["ES256"], "jwks": url}]}))
    result = clarion("serve", "--port", "0", "--data", tmp_path / "data", "--credentials", file)
    assert refusal(result, "--credentials:", "jwt[0].jwks", "can never be fetched") == 64


@pytest.mark.parametrize("name, start, most, said_of_it", [
    ("master-key-file", base64.b64encode(bytes(32)), 64 << 10, "larger than 64KiB"),
    ("webhooks-ca-file", b"-----BEGIN CERTIFICATE-----", 16 << 20, "larger than 16MiB")])
def test_a_file_that_is_far_too_large_is_refused(serve, tmp_path, name, start, most, said_of_it):
    file = tmp_path / "file"
    file.write_bytes(start.ljust(most, b"\n"))
    # What is wrong is the setting after it.
    assert refusal(serve("--port", "0", f"--{name}", file, "--keep-alive", "soon"), "--keep-alive:") == 64
    file.write_bytes(start.ljust(most + 1, b"\n"))
    assert refusal(serve("--port", "0", f"--{name}", file, "--keep-alive", "soon"), f"--{name}: {file}", said_of_it) == 64


# The console's folder

@pytest.mark.parametrize("kind", ["option", "environment", "file"])
@pytest.mark.parametrize("place", ["missing", "a file"])
def test_a_console_that_is_not_there_is_refused(serve, tmp_path, kind, place):
    folder = tmp_path / "site"
    if place == "a file":
        folder.write_text("")
    result = {
        "option": lambda: serve("--port", "0", "--public", folder),
        "environment": lambda: serve("--port", "0", environment={"CLARION_PUBLIC": str(folder)}),
        "file": lambda: serve("--port", "0", settings={"public": str(folder)})}[kind]()
    assert refusal(result, "--public:", str(folder)) == 64


# Settings that do not go together

def test_a_body_of_the_largest_size_finds_room(serve, start_hub, topic):
    for options in (["--max-body-memory", "2097151"], ["--max-body", "40MiB", "--max-body-memory", "64MiB"]):
        assert refusal(serve("--port", "0", *options), "--max-body-memory:", "--max-body") == 64
    for options in (["--max-body-memory", "2MiB"], ["--max-body", "40MiB"]):
        hub = start_hub("--durability", "process", *options)
        size = (40 if "40MiB" in options else 1) << 20
        assert hub.request("PUT", f"/topics/{topic}/value", data=b"x" * size).status_code == 201


def test_a_cluster_keeps_its_log_whatever_the_durability(serve):
    result = serve("--log", "nats://127.0.0.1:1?name=shop", "--durability", "memory")
    assert refusal(result, "--durability:", "--log") == 64

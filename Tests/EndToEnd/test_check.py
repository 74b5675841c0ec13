"""`clarion check`: verifying a log that no hub has open."""

import json
import shutil
import sqlite3

import pytest

from hub_process import events_path
from stepped_clock import SteppedClock
from waiting import wait_until


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def refusal(result, *words):
    assert result.returncode == 1
    assert result.stdout == ""
    [line] = result.stderr.splitlines()
    for word in words:
        assert word in line


@pytest.fixture
def stopped(hub, topic):
    """A hub that has some of everything, stopped."""
    hub.register("https://example.com/hook", topic)
    for number in range(20):
        response = hub.request("POST", events_path(topic), data=f"event {number}", headers={"Idempotency-Key": f"{number}"})
        assert response.status_code == 201
    hub.post("another", b"\xff\x00")
    assert hub.request("PUT", f"/topics/{topic}", json={"retention": {"events": 1000}}).status_code < 300
    hub.stop()
    return hub


def test_a_sound_log(clarion, stopped):
    before = contents(stopped.data)
    result = clarion("check", "--data", stopped.data)
    assert (result.returncode, result.stderr) == (0, "")
    *report, last = result.stdout.splitlines()
    assert last == "ok"
    # 20 and 1, and the registration's own on clarion.observers.
    assert "22 events" in report[1] and "3 topics" in report[1] and "1 observers" in report[1]
    assert "20 deliveries" in report[1] and "20 idempotency keys" in report[1]
    assert contents(stopped.data) == before


@pytest.mark.parametrize("command", [["check"], ["backup", "copy.db"]])
def test_an_empty_folder_is_not_the_systems_root(clarion, command):
    """As of a variable of the shell that is not set; a hub refuses it, too."""
    refused = clarion("serve", "--data", "")
    result = clarion(*command, "--data", "")
    assert (result.returncode, result.stdout, result.stderr) == (64, "", refused.stderr)
    assert result.stderr == "clarion: --data: is empty: give it a value, or leave it out\n"


def test_a_log_that_was_killed(clarion, hub, topic):
    for number in range(50):
        hub.post(topic, f"event {number}")
    hub.kill()
    before = contents(hub.data)
    result = clarion("check", "--data", hub.data)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "50 events" in result.stdout
    after = contents(hub.data)
    # The third file is SQLite's index of the second, made anew by whoever opens it first.
    for name in ("clarion.db", "clarion.db-wal"):
        assert after[name] == before[name]
    hub.restart()
    assert len(hub.history(topic)) == 50


def test_a_log_in_use(clarion, hub, topic):
    hub.post(topic)
    refusal(clarion("check", "--data", hub.data), str(hub.data), "open")
    hub.post(topic)


def test_a_copy_of_a_log_in_use(clarion, hub, topic, tmp_path):
    hub.post(topic)
    copy = tmp_path / "copy"
    copy.mkdir()
    source = sqlite3.connect(f"file:{hub.data}/clarion.db?mode=ro", uri=True)
    with sqlite3.connect(copy / "clarion.db") as target:
        source.backup(target)
    target.close()
    source.close()
    result = clarion("check", "--data", copy)
    assert result.returncode == 0, result.stdout + result.stderr
    assert [path.name for path in copy.iterdir()] == ["clarion.db"]


def test_no_log(clarion, tmp_path):
    refusal(clarion("check", "--data", tmp_path / "none"), str(tmp_path / "none"))
    assert not (tmp_path / "none").exists()
    (tmp_path / "empty").mkdir()
    refusal(clarion("check", "--data", tmp_path / "empty"), str(tmp_path / "empty"))
    assert list((tmp_path / "empty").iterdir()) == []


@pytest.mark.parametrize("command", ["check", "serve"])
def test_a_file_that_is_no_log(clarion, tmp_path, command):
    folder = tmp_path / "data"
    folder.mkdir()
    with sqlite3.connect(folder / "clarion.db") as database:
        database.execute("CREATE TABLE event (seq INTEGER PRIMARY KEY)")
    database.close()
    before = (folder / "clarion.db").read_bytes()
    port = ("--port", "0") if command == "serve" else ()
    refusal(clarion(command, *port, "--data", folder), str(folder / "clarion.db"), "not a log of this program", "--data")
    assert contents(folder) == {"clarion.db": before}, "nothing is left beside it"


@pytest.mark.parametrize("command", ["check", "serve"])
def test_a_folder_in_the_place_of_the_log(clarion, tmp_path, command):
    (tmp_path / "data" / "clarion.db").mkdir(parents=True)
    port = ("--port", "0") if command == "serve" else ()
    refusal(clarion(command, *port, "--data", tmp_path / "data"), "clarion.db is not a log of this program", "--data")
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["clarion.db"]


def test_a_data_folder_that_is_a_file(clarion, tmp_path):
    (tmp_path / "data").write_text("")
    refusal(clarion("serve", "--port", "0", "--data", tmp_path / "data"), f"{tmp_path / 'data'} is a file", "--data")


@pytest.mark.parametrize("is_there", [True, False])
def test_a_log_in_another_folder_is_not_taken_by_a_link(start_hub, clarion, tmp_path, is_there):
    hub = start_hub()
    hub.post("a", b"1")
    folder = tmp_path / "linked"
    folder.mkdir()
    log = hub.data / "clarion.db" if is_there else tmp_path / "nothing"
    (folder / "clarion.db").symlink_to(log)
    for command in (["serve", "--port", "0"], ["check"], ["backup", tmp_path / "copy.db"]):
        line = f"{folder / 'clarion.db'} is a symbolic link"
        refusal(clarion(*command, "--data", folder), line, "Give the folder that the log itself lies in with --data")
        assert (folder / "clarion.db").is_symlink()
    assert not (tmp_path / "nothing").exists() and not (tmp_path / "copy.db").exists()
    # The folder itself may be named by one.
    (tmp_path / "by-another-name").symlink_to(hub.data)
    assert clarion("backup", tmp_path / "copy.db", "--data", tmp_path / "by-another-name").returncode == 0


# Programs that copy databases keep their own marks in them.
def test_a_table_of_others_is_let_be(clarion, stopped):
    with sqlite3.connect(stopped.data / "clarion.db") as database:
        database.execute("CREATE TABLE others (id INTEGER PRIMARY KEY, mark TEXT)")
    database.close()
    result = clarion("check", "--data", stopped.data)
    assert result.returncode == 0 and result.stdout.endswith("ok\n"), result
    stopped.restart()
    stopped.post("another", b"1")


@pytest.mark.parametrize("statement, finding", [
    ("CREATE UNIQUE INDEX one ON event (topic, seq)", "the index one is not as this program makes it"),
    ("CREATE TRIGGER thief AFTER INSERT ON event BEGIN DELETE FROM event; END",
     "the trigger thief is not as this program makes it"),
    ("ALTER TABLE observer ADD COLUMN more", "the table observer is not as this program makes it")])
def test_what_changes_or_refuses_what_is_written_is_neither_served_nor_sound(clarion, stopped, statement, finding):
    with sqlite3.connect(stopped.data / "clarion.db") as database:
        database.execute(statement)
    database.close()
    refusal(clarion("serve", "--port", "0", "--data", stopped.data), "is not of this program")
    result = clarion("check", "--data", stopped.data)
    assert result.returncode == 1 and finding in result.stdout.splitlines(), result


@pytest.mark.parametrize("statement, name", [
    ("DROP INDEX event_topic", "index event_topic"), ("DROP TABLE delivery", "table delivery"),
    ("DROP TRIGGER event_deleted", "trigger event_deleted")])
def test_what_a_hub_refuses_a_check_finds(clarion, stopped, statement, name):
    with sqlite3.connect(stopped.data / "clarion.db") as database:
        database.execute(statement)
    database.close()
    refusal(clarion("serve", "--port", "0", "--data", stopped.data), f"the {name} is missing", "backup")
    result = clarion("check", "--data", stopped.data)
    assert result.returncode == 1
    assert f"the {name} is missing" in result.stdout.splitlines()


MOST = 2**63 - 1


@pytest.mark.parametrize("statement, table", [
    (f"UPDATE event SET seq = {MOST} WHERE seq = (SELECT max(seq) FROM event)", "event"),
    (f"UPDATE event SET seq = -{MOST} WHERE seq = (SELECT min(seq) FROM event)", "event"),
    (f"INSERT INTO delivery (id, observer, event, state, attempts, not_before) VALUES ({2**58}, 1, 1, 2, 1, 0)", "delivery"),
    (f"UPDATE delivery_stats SET pending = {MOST}", "delivery_stats"),
    (f"UPDATE delivery_stats SET dead = -{MOST}", "delivery_stats")])
def test_numbers_that_cannot_be_are_refused(clarion, stopped, statement, table):
    with sqlite3.connect(stopped.data / "clarion.db") as database:
        database.execute(statement)
    database.close()
    refusal(clarion("serve", "--port", "0", "--data", stopped.data), f"numbers of {table} cannot be")
    result = clarion("check", "--data", stopped.data)
    assert result.returncode == 1 and f"numbers of {table} cannot be" in result.stdout, result


@pytest.mark.parametrize("number", [MOST, -MOST - 1])
def test_what_topics_say_that_they_hold_ends_no_hub(stopped, topic, number):
    with sqlite3.connect(stopped.data / "clarion.db") as database:
        database.execute("UPDATE topic SET events = ?, bytes = ?", (number, number))
        database.execute("UPDATE topic SET retain_events = 10, retain_bytes = 10")
        database.execute("UPDATE delivery SET attempts = ?", (number,))
        # Not counted yet, as after a crash.
        database.execute("UPDATE log SET counted = 0")
    database.close()
    stopped.restart()
    for _ in range(20):
        stopped.post(topic, b"1")
        assert stopped.get(f"/topics/{topic}").status_code == 200
    stopped.get("/metrics")
    stopped.stop()


@pytest.mark.parametrize("command", ["check", "serve"])
def test_a_log_of_a_later_version(clarion, stopped, command):
    with sqlite3.connect(stopped.data / "clarion.db") as database:
        database.execute("INSERT INTO grdb_migrations VALUES ('99: what comes')")
    database.close()
    before = (stopped.data / "clarion.db").read_bytes()
    port = ("--port", "0") if command == "serve" else ()
    refusal(clarion(command, *port, "--data", stopped.data), "later version")
    assert (stopped.data / "clarion.db").read_bytes() == before


def test_damage_is_found_and_a_hub_refuses_it(clarion, stopped):
    path = stopped.data / "clarion.db"
    with sqlite3.connect(path) as database:
        # Those that hold something: what stands behind the header of an empty page is nobody's.
        names = ("grdb_migrations", "log", "topic", "event", "event_topic", "observer", "delivery", "delivery_due", "idempotency")
        pages = dict(database.execute("SELECT name, rootpage FROM sqlite_master"))
    database.close()
    whole = path.read_bytes()
    for page in map(pages.get, names):
        start = (page - 1) * 4096 + 8
        path.write_bytes(whole[:start] + b"\xa5" * 4088 + whole[start + 4088:])
        damaged = path.read_bytes()
        result = clarion("check", "--data", stopped.data)
        assert result.returncode == 1
        assert "ok" not in result.stdout.splitlines()
        assert any(line.startswith("the file ") for line in result.stdout.splitlines()), result
        refusal(clarion("serve", "--port", "0", "--data", stopped.data))
        assert path.read_bytes() == damaged


def test_each_finding_is_a_line(clarion, stopped, topic):
    with sqlite3.connect(stopped.data / "clarion.db") as database:
        database.execute("UPDATE topic SET events = events + 1 WHERE name = ?", (topic,))
        database.execute("UPDATE delivery SET observer = 77 WHERE event = 3")
    database.close()
    result = clarion("check", "--data", stopped.data)
    assert result.returncode == 1
    findings = result.stdout.splitlines()[2:]
    assert any(json.dumps(topic) in line and "counts 21 events" in line for line in findings)
    assert any("is for no observer" in line for line in findings)
    assert "ok" not in findings


def test_a_finding_commands_no_terminal(clarion, stopped):
    with sqlite3.connect(stopped.data / "clarion.db") as database:
        database.execute("UPDATE observer SET name = ?, revision = 999999", ("\x1b]0;owned\x07\nok",))
    database.close()
    result = clarion("check", "--data", stopped.data)
    assert result.returncode == 1
    [finding] = [line for line in result.stdout.splitlines() if "owned" in line]
    assert "\\u{1b}]0;owned\\u{7}\\nok" in finding and not set(result.stdout) & set("\x1b\x07")


def test_the_folder_may_be_written_by_nobody(clarion, stopped, tmp_path):
    """A backup, say. Root may write all the same: test_backups.py has the same as another user."""
    copy = tmp_path / "copy"
    shutil.copytree(stopped.data, copy)
    copy.chmod(0o555)
    try:
        result = clarion("check", "--data", copy)
        assert result.returncode == 0, result.stdout + result.stderr
    finally:
        copy.chmod(0o755)


def test_a_clock_that_was_set_back_is_no_fault(start_hub, tmp_path, topic):
    clock = SteppedClock(tmp_path)
    hub = start_hub(environment=clock.environment)
    hub.post(topic)
    # The log writes here, but no event.
    clock.step(5)
    assert hub.get("/readyz").status_code == 200
    clock.step(-62)
    hub.post(topic)
    hub.stop()
    hub.assert_sound()


def test_a_clock_that_was_set_back_is_no_fault_where_events_are_gone(start_hub, tmp_path, topic):
    clock = SteppedClock(tmp_path)
    hub = start_hub(environment=clock.environment)
    hub.post(topic)
    clock.step(-70)
    hub.post(f"{topic}.gone")
    clock.step(40)
    hub.post(topic)
    assert hub.request("DELETE", f"/topics/{topic}.gone").status_code == 204
    database = sqlite3.connect(f"file:{hub.data}/clarion.db?mode=ro", uri=True)
    wait_until(lambda: database.execute("SELECT count(*) FROM event").fetchone() == (2,), what="the row's deletion")
    database.close()
    hub.stop()
    hub.assert_sound()

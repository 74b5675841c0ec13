"""`clarion backup`, and what becomes of a copy: restoring, and all that a file may be in the way of."""

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
from pathlib import Path

import pytest

from event_stream import EventStream
from hub_process import environment_without_settings
from test_gaps import gap_of
from waiting import wait_until

NOBODY = 65534


@pytest.fixture
def folder():
    """A folder that every user can reach: those of pytest are its own user's."""
    path = Path(tempfile.mkdtemp(prefix="clarion-backup-", dir="/tmp"))
    path.chmod(0o755)
    yield path
    for each in [path, *path.rglob("*")]:
        if each.is_dir() and not each.is_symlink():
            each.chmod(0o755)
    shutil.rmtree(path)


@pytest.fixture
def as_nobody(executable):
    if os.geteuid() != 0:
        pytest.skip("needs root, to be somebody else")

    def run(*arguments):
        return subprocess.run(
            [str(executable), *map(str, arguments)], capture_output=True, text=True, timeout=20, cwd="/", user=NOBODY,
            group=NOBODY, extra_groups=[], env=environment_without_settings())

    try:
        reached = run("--version").returncode == 0
    except PermissionError:
        reached = False
    if not reached:
        pytest.skip("the program is where nobody else can reach it")
    return run


def back_up(clarion, data, file, **options):
    result = clarion("backup", file, "--data", data, **options)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", ""), result


def restore(clarion, start_hub, data, tmp_path, name="restored"):
    """Makes a copy into a folder of its own, which a hub is to be started with."""
    copy = tmp_path / name
    copy.mkdir()
    back_up(clarion, data, copy)
    return copy


def test_a_restored_log_gives_no_id_twice(start_hub, clarion, tmp_path):
    hub = start_hub()
    ids = [hub.post("a", str(number))["id"] for number in range(1, 4)]
    copy = restore(clarion, start_hub, hub.data, tmp_path)
    ids += [hub.post("a", str(number))["id"] for number in range(4, 7)]
    hub.stop()
    assert clarion("check", "--data", copy).returncode == 0
    again = start_hub(data=copy)
    new = [again.post("a", f"new-{number}")["id"] for number in range(1, 5)]
    assert not set(new) & set(ids)
    assert [event["id"] for event in again.history("a")] == ids[:3] + new
    # Whoever has seen an event that is lost, or may have missed one, is told so, and misses nothing that is new.
    for place, id in enumerate(ids):
        for target in ["/topics/a/events", "/topics/*/events", "/events?topic=a&topic=none"]:
            with EventStream(again.port, target, last_event_id=id) as stream:
                rest = ids[place + 1:3] + new
                gap, *messages = stream.take(1 + len(rest))
                assert gap_of(gap) == {"after": id, "resumed": rest[0], "reason": "retention"}
                assert [message.id for message in messages] == rest
        after = again.get("/topics/a/events", params={"after": id}).json()["events"]
        assert [event["id"] for event in after] == ids[place + 1:3] + new
    with EventStream(again.port, "/topics/a/events?since=earliest") as stream:
        assert [message.id for message in stream.take(7)] == ids[:3] + new
    assert again.get(f"/topics/a/events/{ids[5]}").status_code == 404
    again.stop()
    again.assert_sound()
    # It goes on from there as any log does.
    again.restart()
    with EventStream(again.port, "/topics/a/events", last_event_id=new[1]) as stream:
        assert [message.id for message in stream.take(2)] == new[2:]


def test_a_copy_that_is_used_twice_gives_no_id_twice(start_hub, clarion, tmp_path):
    hub = start_hub()
    hub.post("a", b"1")
    first = restore(clarion, start_hub, hub.data, tmp_path)
    second = tmp_path / "second"
    shutil.copytree(first, second)
    ids = [start_hub(data=copy).post("a", b"2")["id"] for copy in (first, second)] + [hub.post("a", b"2")["id"]]
    assert len(set(ids)) == 3


def leave_behind(hub, clarion, tmp_path, count, size):
    """Fills a log, copies it, fills it further, kills its hub, and puts the copy in the place of the log's file alone."""
    ids = [hub.post("a", os.urandom(size))["id"] for _ in range(count)]
    back_up(clarion, hub.data, tmp_path / "copy.db")
    for number in range(count):
        hub.post("a", os.urandom(size))
        hub.post(f"b{number}", b"later")
    hub.kill()
    assert (hub.data / "clarion.db-wal").stat().st_size
    shutil.copy(tmp_path / "copy.db", hub.data / "clarion.db")
    return ids


# Beyond 32 MiB a log is not read as a whole when it is opened.
@pytest.mark.parametrize("count, size", [(20, 100), (45, 800_000)], ids=["small", "large"])
def test_the_write_ahead_log_of_another_log_is_not_laid_over_a_copy(start_hub, clarion, tmp_path, count, size):
    hub = start_hub("--durability", "process")
    ids = leave_behind(hub, clarion, tmp_path, count, size)
    files = {name: (hub.data / name).read_bytes() for name in ("clarion.db", "clarion.db-wal")}
    for command in (["serve", "--port", "0"], ["check"], ["backup", tmp_path / "again.db"], ["serve", "--port", "0"]):
        result = clarion(*command, "--data", hub.data)
        assert (result.returncode, result.stdout) == (1, ""), result
        [line] = result.stderr.splitlines()
        wal = hub.data / "clarion.db-wal"
        assert line.endswith(
            f"clarion.db is a backup, and {wal} is of another log: move it away, with {hub.data}/clarion.db-shm. "
            "Nothing was changed.")
        assert {name: (hub.data / name).read_bytes() for name in files} == files
    assert not (tmp_path / "again.db").exists()
    for name in ("clarion.db-wal", "clarion.db-shm"):
        (hub.data / name).rename(tmp_path / name)
    hub.restart()
    assert [event["id"] for event in hub.history("*")] == ids
    new = hub.post("a", b"new")["id"]
    hub.stop()
    hub.assert_sound()
    hub.restart()
    assert hub.history("*")[-1]["id"] == new


@pytest.mark.parametrize("posts", [0, 1, 50])
def test_a_hub_that_is_killed_after_its_first_start_on_a_copy_loses_nothing(start_hub, clarion, tmp_path, posts):
    hub = start_hub()
    ids = [hub.post("a", str(number))["id"] for number in range(3)]
    copy = restore(clarion, start_hub, hub.data, tmp_path)
    hub.stop()
    again = start_hub(data=copy)
    for _ in range(2):
        ids += [again.post(f"a{number % 7}", str(number))["id"] for number in range(posts)]
        again.kill()
        again.assert_sound()
        again.restart()
        assert [event["id"] for event in again.history("*")] == ids
    # The same with a copy of what was one.
    twice = restore(clarion, start_hub, again.data, tmp_path, "twice")
    third = start_hub(data=twice)
    ids += [third.post("a", str(number))["id"] for number in range(posts)]
    third.kill()
    third.restart()
    assert [event["id"] for event in third.history("*")] == ids


def test_a_folder_that_may_not_be_entered_is_not_said_to_be_empty(start_hub, clarion, folder, as_nobody):
    hub = start_hub()
    hub.post("a", b"1")
    (folder / "data").mkdir(0o700)
    back_up(clarion, hub.data, folder / "data")
    for command in (["check"], ["backup", folder / "copy.db"], ["serve", "--port", "0"]):
        result = as_nobody(*command, "--data", folder / "data")
        assert (result.returncode, result.stdout) == (1, "")
        assert f"User {NOBODY} may not open" in result.stderr and f"chown -R {NOBODY} {folder}/data" in result.stderr, result


def test_a_receiver_knows_again_what_it_had_before_a_restoration(start_hub, clarion, receiver, tmp_path):
    def heard():
        return [delivery.id for delivery in receiver.deliveries]

    options = ["--allow-egress", "127.0.0.0/8"]
    hub = start_hub(*options)
    hub.register(receiver.url(), "a")
    old = hub.post("a", b"old")["id"]
    wait_until(lambda: old in heard(), what="the delivery")
    key = {"Idempotency-Key": "k"}
    kept = hub.post("a", b"kept", headers=key)["id"]
    copy = restore(clarion, start_hub, hub.data, tmp_path)
    lost = hub.post("a", b"lost")["id"]
    wait_until(lambda: lost in heard(), what="the delivery")
    hub.stop()
    again = start_hub(*options, data=copy)
    answer = again.request("POST", "/topics/a/events", data=b"kept", headers={"Content-Type": "text/plain", **key})
    assert (answer.status_code, answer.json()["id"]) == (200, kept)
    new = again.post("a", b"new")["id"]
    wait_until(lambda: new in heard(), what="the delivery")
    assert set(heard()) == {old, kept, lost, new}


def test_only_a_file_is_replaced(start_hub, clarion, tmp_path):
    hub = start_hub()
    hub.post("a", b"1")
    target = tmp_path / "target"
    target.write_text("keep me")
    link, pipe, dangling = tmp_path / "link", tmp_path / "pipe", tmp_path / "dangling"
    link.symlink_to(target)
    dangling.symlink_to(tmp_path / "nothing")
    os.mkfifo(pipe)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        for path, words in [(link, "symbolic link"), (dangling, "symbolic link"), (pipe, "pipe"), (tmp_path / "socket", "socket")]:
            result = clarion("backup", path, "--data", hub.data)
            assert (result.returncode, result.stdout) == (1, "")
            assert words in result.stderr and str(path) in result.stderr and "--data" not in result.stderr
    assert link.is_symlink() and dangling.is_symlink() and pipe.is_fifo() and target.read_text() == "keep me"
    assert not list(tmp_path.glob("*.part"))


def test_an_export_goes_to_where_a_link_leads(start_hub, clarion, tmp_path):
    hub = start_hub()
    hub.post("a", b"1")
    link, target = tmp_path / "link", tmp_path / "folder" / "target"
    target.parent.mkdir()
    target.write_text("former")
    link.symlink_to(target)
    assert clarion("export", link, "--hub", hub.url).returncode == 0
    assert link.is_symlink() and json.loads(target.read_text())["clariontopic"] == "a"
    target.unlink()
    result = clarion("export", link, "--hub", hub.url)
    assert result.returncode != 0 and str(link) in result.stderr
    assert link.is_symlink() and list(target.parent.iterdir()) == []


def test_what_cannot_be_written_is_not_blamed_on_the_log(start_hub, clarion, tmp_path):
    hub = start_hub()
    hub.post("a", b"1")
    for file, words in [("", "no name"), (tmp_path / "none" / "copy.db", "No such file or directory"), (hub.data, "the log itself")]:
        result = clarion("backup", file, "--data", hub.data)
        assert (result.returncode, result.stdout) == (1, "")
        [line] = result.stderr.splitlines()
        assert words in line and "--data" not in line and "database" not in line, line


def test_a_full_disk_of_the_copy(start_hub, clarion):
    hub = start_hub()
    for _ in range(4):
        hub.post("a", os.urandom(1 << 19))
    # No file that is made may be longer: the same to SQLite as a full disk is, or nearly.
    result = subprocess.run(
        ["unshare", "-m", "sh", "-c",
         'mkdir -p /mnt && mount -t tmpfs -o size=256k none /mnt && exec "$@"', "sh",
         str(hub.executable), "backup", "/mnt/copy.db", "--data", str(hub.data)],
        capture_output=True, text=True, timeout=20)
    if "unshare" in result.stderr or "mount" in result.stderr:
        pytest.skip(result.stderr)
    assert (result.returncode, result.stdout) == (1, "")
    [line] = result.stderr.splitlines()
    assert "no space on the disk of /mnt/copy.db" in line and "data folder" not in line, line


def test_root_gives_a_copy_to_whom_its_folder_belongs(start_hub, clarion, folder, as_nobody):
    hub = start_hub()
    hub.post("a", b"1")
    os.chown(folder, NOBODY, NOBODY)
    # As systemd names the folder of a service whose user it makes.
    link = folder.with_name(folder.name + "-link")
    link.symlink_to(folder)
    back_up(clarion, hub.data, link)
    link.unlink()
    assert (folder / "clarion.db").stat().st_uid == NOBODY
    (folder / "clarion.db").unlink()
    back_up(clarion, hub.data, folder)
    status = (folder / "clarion.db").stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o777) == (NOBODY, NOBODY, 0o600)
    result = as_nobody("check", "--data", folder)
    assert result.returncode == 0, result
    # One that is there keeps its owner.
    os.chown(folder / "clarion.db", 1234, 1234)
    back_up(clarion, hub.data, folder)
    assert (folder / "clarion.db").stat().st_uid == 1234
    # What the hub's user cannot open is told with the command.
    for command in (["check"], ["serve", "--port", "0"]):
        result = as_nobody(*command, "--data", folder)
        assert (result.returncode, result.stdout) == (1, "")
        assert f"chown {NOBODY} {folder}/clarion.db" in result.stderr
    (folder / "clarion.db").chmod(0o644)
    result = as_nobody("serve", "--port", "0", "--data", folder)
    assert result.returncode == 1 and f"chown {NOBODY} {folder}/clarion.db" in result.stderr
    # Also of what a hub that root has started left behind.
    os.chown(folder / "clarion.db", NOBODY, NOBODY)
    (folder / "clarion.db-wal").touch(0o600)
    result = as_nobody("serve", "--port", "0", "--data", folder)
    [line] = result.stderr.splitlines()
    assert result.returncode == 1 and f"may not open {folder}/clarion.db-wal: chown {NOBODY} {folder}/clarion.db*" in line


def test_where_nobody_may_write_a_log_is_read(start_hub, clarion, folder, as_nobody):
    hub = start_hub()
    hub.post("a", b"1")
    copy, target = folder / "copy with 100% ü?#", folder / "target"
    for each in (copy, target):
        each.mkdir()
    back_up(clarion, hub.data, copy)
    (copy / "clarion.db").chmod(0o644)
    copy.chmod(0o555)
    target.chmod(0o777)
    result = as_nobody("check", "--data", copy)
    assert (result.returncode, result.stderr) == (0, "") and result.stdout.endswith("ok\n"), result
    result = as_nobody("backup", target, "--data", copy)
    assert (result.returncode, result.stderr) == (0, ""), result
    assert [path.name for path in copy.iterdir()] == ["clarion.db"]
    assert clarion("check", "--data", target).returncode == 0
    # With a write-ahead log that is not possible, and said.
    hub.kill()
    copy.chmod(0o755)
    for name in ("clarion.db", "clarion.db-wal"):
        shutil.copy(hub.data / name, copy)
        (copy / name).chmod(0o644)
    copy.chmod(0o555)
    for arguments in (["check"], ["backup", target]):
        result = as_nobody(*arguments, "--data", copy)
        assert (result.returncode, result.stdout) == (1, "")
        assert "clarion.db-wal is there" in result.stderr


def test_a_backup_of_a_stopped_log_leaves_nothing(start_hub, clarion, tmp_path):
    hub = start_hub()
    hub.post("a", b"1")
    hub.stop()
    before = {path.name: path.read_bytes() for path in hub.data.iterdir()}
    back_up(clarion, hub.data, tmp_path / "copy.db")
    assert {path.name: path.read_bytes() for path in hub.data.iterdir()} == before


def test_a_damaged_log_does_not_take_the_place_of_a_good_copy(start_hub, clarion, tmp_path):
    hub = start_hub()
    for number in range(50):
        hub.post("a", f"event {number} {'x' * 400}".encode())
    hub.stop()
    copy = tmp_path / "copy.db"
    assert clarion("backup", copy, "--data", hub.data).returncode == 0
    good = copy.read_bytes()
    log = hub.data / "clarion.db"
    pages = bytearray(log.read_bytes())
    page = pages.index(b"event 25 ") // 4096 * 4096
    pages[page:page + 4096] = bytes(4096)
    log.write_bytes(pages)
    result = clarion("backup", copy, "--data", hub.data)
    assert result.returncode == 1 and "damaged" in result.stderr, result
    assert copy.read_bytes() == good
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("copy")) == ["copy.db"]


def test_a_check_takes_its_folder_from_the_environment(start_hub, clarion):
    hub = start_hub()
    hub.post("a", b"1")
    hub.stop()
    result = clarion("check", environment={"CLARION_DATA": str(hub.data)})
    assert result.returncode == 0 and "1 events" in result.stdout
    assert clarion("check", "--data", "none", environment={"CLARION_DATA": str(hub.data)}).returncode == 1


@pytest.mark.parametrize("loss", ["removed", "replaced"])
def test_a_log_that_is_removed_or_replaced_is_noticed(start_hub, clarion, tmp_path, loss):
    hub = start_hub()
    hub.post("a", b"1")
    assert hub.get("/readyz").status_code == 200
    aside = tmp_path / "aside"
    hub.data.rename(aside)
    if loss == "replaced":
        shutil.copytree(aside, hub.data)
    for _ in range(3):
        answer = hub.get("/readyz")
        assert answer.status_code == 503
        problem = answer.json()
        assert problem["code"] == "log-unavailable" and "removed or replaced" in problem["detail"]
    assert clarion("health", "--hub", hub.url).returncode != 0
    lines = [line for line in hub.log.splitlines() if "while the hub runs" in line]
    assert len(lines) == 1 and "error" in lines[0] and loss in lines[0], hub.log
    if loss == "replaced":
        shutil.rmtree(hub.data)
    aside.rename(hub.data)
    assert hub.get("/readyz").status_code == 200
    hub.post("a", b"2")
    hub.stop()
    hub.assert_sound()


@pytest.mark.parametrize("loss", ["removed", "replaced"])
def test_a_write_ahead_log_that_is_removed_or_replaced_is_noticed_and_loses_nothing_in_order(start_hub, loss):
    hub = start_hub()
    hub.post("a", b"1")
    assert hub.get("/readyz").status_code == 200
    wal = hub.data / "clarion.db-wal"
    wal.unlink()
    if loss == "replaced":
        wal.write_bytes(b"")
    for _ in range(3):
        hub.post("a", b"2")
        answer = hub.get("/readyz")
        assert (answer.status_code, answer.json()["code"]) == (503, "log-unavailable"), answer.text
    lines = [line for line in hub.log.splitlines() if "while the hub runs" in line]
    assert len(lines) == 1 and "error" in lines[0] and f"clarion.db-wal was {loss}" in lines[0], hub.log
    hub.restart()
    assert len(hub.history("a")) == 4
    assert hub.get("/readyz").status_code == 200
    # What moves the write-ahead log into the file leaves it in its place.
    hub.request("DELETE", "/topics/a")
    hub.post("a", b"3")
    assert hub.get("/readyz").status_code == 200
    hub.stop()
    hub.assert_sound()


@pytest.mark.parametrize("stop", ["stop", "kill"])
def test_a_write_ahead_log_that_is_emptied_takes_nothing_else_with_it(start_hub, stop):
    hub = start_hub()
    for number in range(100):
        hub.post("a", str(number).encode())
    hub.restart()
    lost = hub.post("a", b"new")["id"]
    os.truncate(hub.data / "clarion.db-wal", 0)
    for _ in range(3):
        # What cannot be found after a restart is not acknowledged.
        for method, path in [("POST", "/topics/a/events"), ("GET", "/readyz")]:
            answer = hub.request(method, path, data=b"lost" if method == "POST" else None)
            assert (answer.status_code, answer.json()["code"]) == (503, "log-unavailable"), answer.text
    lines = [line for line in hub.log.splitlines() if "while the hub runs" in line]
    assert len(lines) == 1 and "error" in lines[0] and "emptied or cut" in lines[0], hub.log
    getattr(hub, stop)()
    hub.assert_sound()
    hub.restart()
    assert [event["data"] for event in hub.history("a")] == [str(number) for number in range(100)]
    # Its id is not given again, and who has heard of it is told that something is missing.
    more = hub.post("a", b"more")["id"]
    with hub.stream("a", last_event_id=lost) as stream:
        assert [message.type for message in stream.take(1)] == ["gap"]
        assert stream.next().id == more
    hub.stop()
    hub.assert_sound()


def test_a_log_that_is_emptied_is_noticed(start_hub):
    hub = start_hub()
    hub.post("a", b"1")
    os.truncate(hub.data / "clarion.db", 0)
    answer = hub.get("/readyz")
    assert (answer.status_code, answer.json()["code"]) == (503, "log-unavailable"), answer.text
    assert "clarion.db was emptied while the hub runs" in hub.log
    hub.kill()


def test_a_log_that_cannot_be_looked_at_is_not_said_to_be_removed(start_hub, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir()
    # Whoever is root looks everywhere, unless that is taken away.
    as_others = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    hub = start_hub(data=closed / "data", prefix=as_others)
    closed.chmod(0)
    try:
        assert hub.get("/readyz").status_code == 200
        hub.post("a", b"1")
    finally:
        closed.chmod(0o700)
    assert "while the hub runs" not in hub.log


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_nothing_of_a_copy(start_hub, executable, tmp_path, number):
    hub = start_hub()
    hub.post("a", b"1")
    hub.stop()
    folder = tmp_path / "copies"
    folder.mkdir()
    # A backup waits for who has locked the log, an export for the answer of a hub.
    lock = sqlite3.connect(hub.data / "clarion.db", isolation_level=None)
    lock.execute("PRAGMA locking_mode = EXCLUSIVE")
    lock.execute("BEGIN EXCLUSIVE")
    lock.execute("UPDATE log SET revision = revision")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        for command in (["backup", folder / "copy.db", "--data", hub.data], ["export", folder / "events.ndjson", "--hub", url]):
            process = subprocess.Popen(
                [str(executable), *map(str, command)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, env=environment_without_settings(),
                # Ignored by who runs the tests in the background or under nohup(1), it is ignored by the command, too.
                preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
            wait_until(lambda: list(folder.glob("*.part")), what="the draft")
            process.send_signal(number)
            assert process.wait(10) == -number
            assert list(folder.iterdir()) == []
    lock.close()


def test_a_signal_that_is_ignored_stays_so(start_hub, executable, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        process = subprocess.Popen(
            ["nohup", str(executable), "export", str(tmp_path / "events.ndjson"), "--hub",
             f"http://127.0.0.1:{silent.getsockname()[1]}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment_without_settings())
        wait_until(lambda: list(tmp_path.glob("*.part")), what="the draft")
        process.send_signal(signal.SIGHUP)
        # The next one is seen only by who has outlived that.
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == -signal.SIGTERM
    assert not list(tmp_path.glob("*.part"))

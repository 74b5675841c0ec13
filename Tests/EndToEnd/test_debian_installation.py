"""The Debian package in a clean root folder: installed, started by its unit's command line, removed without leftovers.

Minutes of work, and root's: `make measure` makes the package and runs this, `make test` does not."""

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess

import pytest
import requests

from figures import ENFORCED
from hub_process import REPOSITORY, environment_without_settings
from ports import free_port
from waiting import DEADLINE

pytestmark = pytest.mark.skipif(
    not ENFORCED or os.geteuid() != 0 or shutil.which("debootstrap") is None,
    reason="with CLARION_LOAD=full, for root, and where debootstrap is")

#: A user that nobody has, as those are that systemd makes.
USER = 64_999

#: What dpkg and the system write about whatever is installed.
BOOKKEEPING = re.compile(r"/(var/lib/dpkg|var/log|var/cache)/.*|/etc/ld\.so\.cache|/run/.*")


#: What an administrator does, on a machine that systemd runs. Each step that went well says so.
ADMINISTRATION = r"""#!/bin/sh
exec >/root/said 2>&1
events=http://127.0.0.1:8080/topics/a/events
create() { clarion token create --file /var/lib/clarion/credentials.json --name "$1" --subscribe '**'; }
dpkg -i /root/package.deb
systemctl is-active clarion && echo "STEP installed $(systemctl show -P StatusText clarion)"
curl -fsS -d hello $events && echo STEP posted
systemctl reload clarion && systemctl is-active clarion && echo STEP reloaded
key=$(create first)
sed -i 's#"port"#"credentials": "/var/lib/clarion/credentials.json", "port"#' /etc/clarion/clarion.json
systemctl restart clarion && curl -fsS -H "Authorization: Bearer $key" $events && echo STEP heard
key=$(create second)
systemctl reload clarion
for try in $(seq 100); do
    curl -fsS -H "Authorization: Bearer $key" $events && echo STEP heard with a later key && break
    sleep 0.1
done
systemd-analyze security --threshold=20 clarion && echo STEP may do little
sed -i 's/"port"/"prot"/' /etc/clarion/clarion.json
systemctl restart clarion || journalctl -u clarion | grep -q 'Did you mean port' && echo STEP a typo is told
sed -i 's/"prot"/"port"/' /etc/clarion/clarion.json
systemctl restart clarion
dpkg --purge clarion && echo STEP purged
systemctl list-units --all --no-legend 'clarion*' | sed 's/^/LEFT /'
find / -xdev -name '*clarion*' -not -path '/var/log/*' | sed 's/^/LEFT /'
systemctl poweroff --force
"""


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=900, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def package():
    """What `make deb` has made."""
    [file] = REPOSITORY.glob(".build/clarion_*.deb")
    return file


@pytest.fixture(scope="module")
def root(package, tmp_path_factory):
    """A minimal Debian with what the package says that it needs, and nothing else."""
    folder = tmp_path_factory.mktemp("debian") / "root"
    needed = run("dpkg-deb", "-f", package, "Depends")
    names = [dependency.split()[0] for dependency in needed.split(",")]
    run("debootstrap", "--variant=minbase", f"--include={','.join(names)}", "bookworm", folder)
    # Swift reads the arguments there.
    run("mount", "-t", "proc", "proc", folder / "proc")
    yield folder
    run("umount", folder / "proc")


def files(root):
    # Those of this file system: /proc is another.
    found = run("find", root, "-xdev", "-printf", r"/%P\n").splitlines()
    return {path for path in found if not BOOKKEEPING.fullmatch(path)}


def setting(unit, name):
    return re.search(rf"^{name}=(.*)$", unit, re.M)[1]


class Service:
    """What systemd does with the unit, as far as a root folder goes: the user, the state directory, the command, the socket."""

    def __init__(self, root):
        unit = (root / "lib/systemd/system/clarion.service").read_text()
        state = root / "var/lib/private" / setting(unit, "StateDirectory")
        link = root / "var/lib" / state.name
        if not link.is_symlink():
            state.mkdir(parents=True, mode=0o700)
            os.chown(state, USER, USER)
            link.symlink_to(f"private/{state.name}")
        self.url = f"http://127.0.0.1:{free_port()}"
        self.notified = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notified.bind("\0clarion-installation")
        self.notified.settimeout(DEADLINE)
        # Port 8080 may be another's.
        environment = environment_without_settings(
            CLARION_PORT=self.url.rpartition(":")[2], NOTIFY_SOCKET="@clarion-installation")
        self.process = subprocess.Popen(
            ["chroot", f"--userspec={USER}:{USER}", "--groups=", str(root), *shlex.split(setting(unit, "ExecStart"))],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
        try:
            assert self.notified.recv(4096).startswith(b"READY=1\n")
        except TimeoutError:
            self.process.kill()
            raise AssertionError(self.process.communicate()[0]) from None

    def ask(self, method, path, **options):
        with requests.Session() as session:
            session.trust_env = False
            return session.request(method, self.url + path, timeout=DEADLINE, **options)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        said = self.process.communicate(timeout=DEADLINE)[0]
        self.notified.close()
        assert self.process.returncode == 0, said


def test_nothing_is_wrong_with_the_package(package, figure):
    said = run("lintian", "--fail-on", "error,warning", package)
    figure(f"{package.name}: {package.stat().st_size / 1e6:.1f} MB, lintian: {said or 'nothing'}")


def test_it_is_installed_runs_and_is_removed_without_leftovers(package, root, figure):
    before = files(root)
    shutil.copy(package, root / "tmp")
    run("chroot", root, "dpkg", "-i", f"/tmp/{package.name}")
    (root / "tmp" / package.name).unlink()
    figure(f"the program: {(root / 'usr/bin/clarion').stat().st_size / 1e6:.1f} MB")
    assert "clarion" in run("chroot", root, "/usr/bin/clarion", "--help")
    # As the administrator of Debian does it: enabled by the package.
    assert (root / "etc/systemd/system/multi-user.target.wants/clarion.service").is_symlink()

    for posted in (["one"], ["one", "two"]):
        service = Service(root)
        assert service.ask("POST", "/topics/a/events", data=posted[-1]).status_code == 201
        # The log is where it was, and the console is found.
        assert [event["data"] for event in service.ask("GET", "/topics/a/events").json()["events"]] == posted
        assert "<title>Clarion</title>" in service.ask("GET", "/").text
        service.stop()

    # A key that root makes is the service's to read.
    run("chroot", root, "clarion", "token", "create", "--file", "/var/lib/clarion/credentials.json", "--name", "admin")
    assert (root / "var/lib/private/clarion/credentials.json").stat().st_uid == USER

    run("chroot", root, "dpkg", "--remove", "clarion")
    left = files(root) - before
    assert "/etc/clarion/clarion.json" in left and "/var/lib/private/clarion/clarion.db" in left
    assert not [path for path in left if path.startswith("/usr")]
    run("chroot", root, "dpkg", "--purge", "clarion")
    # systemd makes this folder for all services, and leaves it.
    assert files(root) - before - {"/var/lib/private"} == set()
    assert before - files(root) == set()


@pytest.mark.skipif(shutil.which("systemd-nspawn") is None, reason="needs the package systemd-container")
def test_systemd_runs_it_confined(package, root):
    run("chroot", root, "sh", "-c", "apt-get update -qq && apt-get install -y -qq --no-install-recommends systemd-sysv curl")
    shutil.copy(package, root / "root/package.deb")
    script = root / "root/administration"
    script.write_text(ADMINISTRATION)
    script.chmod(0o755)
    # After all else: the machine has started.
    (root / "etc/systemd/system/administration.service").write_text("[Service]\nType=idle\nExecStart=/root/administration\n")
    run("umount", root / "proc")
    try:
        run("systemd-nspawn", "-D", root, "--boot", "--register=no", "--keep-unit", "--private-network",
            "systemd.wants=administration.service", stdin=subprocess.DEVNULL)
    finally:
        run("mount", "-t", "proc", "proc", root / "proc")
    said = (root / "root/said").read_text()
    steps = re.findall(r"STEP (.*)$", said, re.M)
    assert [step.split(" ")[0] for step in steps] == ["installed", "posted", "reloaded", "heard", "heard", "may", "a", "purged"], said
    assert "is listening on http://127.0.0.1:8080" in steps[0]
    assert re.findall("LEFT .*", said) == []

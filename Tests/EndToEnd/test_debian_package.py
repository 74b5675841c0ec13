"""What the Debian package holds beside the program (deploy/debian): the unit, the manual page, completions, settings.

The package itself is tested in test_debian_installation.py."""

import json
import os
import re
import shutil
import subprocess

import pytest

from hub_process import REPOSITORY, environment_without_settings

FOLDER = REPOSITORY / "deploy/debian"


def needs(*programs):
    missing = [program for program in programs if shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin") is None]
    return pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)}")


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60, **options)


@pytest.fixture(scope="module")
def unit(tmp_path_factory, executable):
    """The unit with the program that there is here."""
    file = tmp_path_factory.mktemp("unit") / "clarion.service"
    text = (FOLDER / "clarion.service").read_text()
    assert "ExecStart=/usr/bin/clarion serve " in text
    file.write_text(text.replace("/usr/bin/clarion", str(executable)))
    return file


@needs("systemd-analyze")
def test_the_unit_is_one(unit):
    verified = run("systemd-analyze", "verify", unit)
    assert (verified.returncode, verified.stdout, verified.stderr) == (0, "", "")


@needs("systemd-analyze")
def test_the_service_may_do_little(unit):
    said = run("systemd-analyze", "security", "--offline=yes", "--no-pager", "--threshold=20", unit)
    assert said.returncode == 0, said.stdout + said.stderr
    assert float(re.search(r"exposure level for clarion.service: ([0-9.]+)", said.stdout)[1]) <= 2.0


def test_what_may_pass_is_tried_again_without_end():
    """The start of a hub fails with 1 for what may pass, such as a clock that is not set, and with 64 for a bad setting."""
    head, _, service = (FOLDER / "clarion.service").read_text().partition("[Service]")
    assert "\nStartLimitIntervalSec=0\n" in head
    assert {"network-online.target", "time-sync.target"} == set(re.search(r"^After=(.*)$", head, re.M)[1].split())
    for line in ("Restart=on-failure", "RestartSec=5s", "RestartPreventExitStatus=64"):
        assert f"\n{line}\n" in service


def test_the_settings_are_taken(start_hub, tmp_path):
    settings = json.loads((FOLDER / "clarion.json").read_text())
    # The service's state directory is where its log is.
    assert settings["data"] == "/var/lib/clarion"
    assert "StateDirectory=clarion" in (FOLDER / "clarion.service").read_text()
    file = tmp_path / "clarion.json"
    file.write_text(json.dumps(settings))
    hub = start_hub("--config", str(file))
    assert hub.get("/readyz").status_code == 200


def test_the_settings_that_the_readme_shows_are_taken(start_hub, clarion, tmp_path):
    text = (FOLDER / "README.Debian").read_text()
    settings = json.loads(re.search(r"^    \{.*?^    \}", text, re.M | re.S)[0])
    made = clarion("token", "create", "--file", tmp_path / "credentials.json", "--name", "shop")
    assert made.returncode == 0
    settings["credentials"] = str(tmp_path / "credentials.json")
    file = tmp_path / "clarion.json"
    file.write_text(json.dumps(settings))
    assert start_hub("--config", str(file)).get("/healthz").status_code == 200


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_can_be_read(clarion, tmp_path, shell):
    script = clarion("--generate-completion-script", shell)
    assert script.returncode == 0 and "allow-egress" in script.stdout
    if shutil.which(shell) is None:
        pytest.skip(f"needs the package {shell}")
    file = tmp_path / "script"
    file.write_text(script.stdout)
    read = run(shell, "-n", file)
    assert (read.returncode, read.stderr) == (0, "")


def test_bash_completes(clarion, tmp_path):
    (tmp_path / "script").write_text(clarion("--generate-completion-script", "bash").stdout)
    completed = run("bash", "-c", """
        source "$1"
        COMP_WORDS=(clarion serve --allow-e) COMP_CWORD=2 COMP_LINE="clarion serve --allow-e" COMP_POINT=23
        "$(complete -p clarion | sed 's/.*-F \\([^ ]*\\) .*/\\1/')" clarion --allow-e serve
        printf '%s\\n' "${COMPREPLY[@]}"
    """, "bash", tmp_path / "script")
    assert completed.stdout.split() == ["--allow-egress"], completed.stderr


def test_the_manual_page_tells_of_every_option(executable, clarion):
    dump = clarion("--experimental-dump-help").stdout
    made = run(FOLDER / "manual", "1.2.3", "2026-11-22", input=dump)
    assert made.returncode == 0, made.stderr
    assert '"Clarion 1.2.3"' in made.stdout.splitlines()[0]

    def arguments(command):
        for argument in command.get("arguments", []):
            yield from (name["name"] for name in argument.get("names", []) if name["kind"] == "long")
        for below in command.get("subcommands", []):
            yield from arguments(below)

    for name in set(arguments(json.loads(dump)["command"])):
        spelled = f"--{name}".replace("-", "\\-")
        assert rf"\fB{spelled}\fR" in made.stdout, name
    if shutil.which("man"):
        shown = run("man", "--warnings", "-l", "-", input=made.stdout, env=environment_without_settings(LC_ALL="C.UTF-8", MANWIDTH="100"))
        assert (shown.returncode, shown.stderr) == (0, "")
        assert "clarion token create" in shown.stdout


def test_the_changelog_begins_with_the_version(clarion):
    assert (FOLDER / "changelog").read_text().startswith(f"clarion ({clarion('--version').stdout.strip()}) ")


@pytest.mark.parametrize("script", ["postinst", "prerm", "postrm", "build"])
def test_the_scripts_can_be_read(script):
    shell = "bash" if script == "build" else "sh"
    read = run(shell, "-n", FOLDER / script)
    assert (read.returncode, read.stderr) == (0, "")

"""What packages and images say of whose work is in them (deploy/licences)."""

import subprocess

from hub_process import REPOSITORY

CHECKOUTS = REPOSITORY / ".build/checkouts"


def licences(folder):
    return subprocess.run([REPOSITORY / "deploy/licences", folder], capture_output=True, text=True, timeout=60)


def test_all_that_is_linked_in_is_named():
    said = licences(CHECKOUTS)
    assert said.returncode == 0, said.stderr
    lines = said.stdout.splitlines()
    packages = [folder.name for folder in CHECKOUTS.iterdir()]
    assert len(packages) > 5
    for name in [*packages, "BoringSSL, in swift-crypto", "ICU, in Swift's Foundation"]:
        assert name in lines and lines[lines.index(name) + 1] == "-" * len(name)
    for line in (CHECKOUTS / "GRDB.swift/LICENSE").read_text().splitlines():
        assert line in lines, "what is not Apache's is given in full"


def test_a_package_without_a_licence_is_not_passed_over(tmp_path):
    (tmp_path / "nobodys").mkdir()
    assert licences(tmp_path).returncode != 0

"""Tests/XTests mirrors Sources/X: who changes a folder finds its tests in the folder of the same name. And what builds on macOS
imports no C library of Linux's."""

import re

import pytest

from hub_process import REPOSITORY

# What tests share, and suites over several folders.
OF_THEIR_OWN = {"Support", "Conformance", "Designs", "Model", "Properties"}
SYSTEMS = {"Linux", "Darwin"}
# Of the library products that are promised for macOS, and what they are made of.
ON_MACOS = ["Broadcasting", "ClarionClient", "HTTPTransport", "JSON", "Locking", "Notation", "Posix"]
TARGETS = [path.name for path in sorted((REPOSITORY / "Sources").iterdir())
           if (REPOSITORY / "Tests" / f"{path.name}Tests").exists()]


def folders(root):
    """The folders below, of each file by its name without `.swift`. What a system has for itself lies in one of its name."""
    found = {}
    for path in root.rglob("*.swift"):
        folder = path.parent.relative_to(root)
        found.setdefault(path.stem, set()).add(str(folder.parent if folder.name in SYSTEMS else folder))
    return found


@pytest.mark.parametrize("target", TARGETS)
def test_tests_lie_where_what_they_test_lies(target):
    sources = folders(REPOSITORY / "Sources" / target)
    known = set().union(*sources.values())
    for name, [folder] in folders(REPOSITORY / "Tests" / f"{target}Tests").items():
        assert folder in known or folder.split("/")[0] in OF_THEIR_OWN, f"{folder}/{name}"
        of_type = sources.get(name.removesuffix("Tests"), {folder})
        assert folder in of_type or folder.split("/")[0] in OF_THEIR_OWN, f"{folder}/{name} belongs in {of_type}"


@pytest.mark.parametrize("target", ON_MACOS)
def test_what_builds_on_macos_imports_the_c_library_of_each_system(target):
    """No build on macOS runs here, and two files of libcurl's imported Glibc whatever the system."""
    files = [path for path in (REPOSITORY / "Sources" / target).rglob("*.swift") if path.parent.name != "Linux"]
    assert files
    for path in files:
        text = path.read_text()
        assert not re.search(r"^(package |public |internal )?import (Glibc|Musl)$", text, re.M), path
        assert "canImport(Glibc)" not in text or "canImport(Darwin)" in text, path

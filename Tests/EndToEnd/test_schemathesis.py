"""Schemathesis over `/openapi.json`: what the hub answers to thousands of requests, right and wrong ones, is what is described.

It asks for anything, `*/*`, so `GET …/events` is history: a stream would not end. What streams answer with is in test_openapi.py.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from credentials import CredentialsFile, grant
from figures import ENFORCED
from hub_process import environment_without_settings

#: What an answer must be, whatever was asked. `ignored_auth` is left to test_credentials.py: it shows wrong credentials until
#: the address is refused for a minute, and nothing else is tried in that.
CHECKS = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
          "response_schema_conformance", "unsupported_method", "use_after_free", "fields_are_described"]
#: In the quick form each hub gets a part of the phases.
PHASES = {"open": ["--phases", "examples,fuzzing", "--max-examples", "5"], "authorised": ["--phases", "examples,coverage"]}
FULL = ["--max-time", "300"]


def run(hub, tmp_path, *options):
    environment = environment_without_settings(SCHEMATHESIS_HOOKS="schemathesis_hooks")
    environment["PYTHONPATH"] = str(Path(__file__).parent)
    command = [str(Path(sys.executable).with_name("schemathesis")), "run", f"{hub.url}/openapi.json", "--no-color",
               "--checks", ",".join(CHECKS), "--request-timeout", "20", "--generation-database", "none",
               "--suppress-health-check", "all", *options]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=400)


@pytest.mark.parametrize("mode", ["open", "authorised"])
def test_every_answer_is_as_described(start_hub, tmp_path, figure, mode):
    options = ["--durability", "memory"]
    arguments = FULL if ENFORCED else PHASES[mode]
    if mode == "authorised":
        file = CredentialsFile(tmp_path, {"admin": grant("**")})
        options += ["--credentials", str(file.path)]
        # One credential is enough: a second one would be refused with it.
        arguments = [*arguments, "--header", f"Authorization: Bearer {file.keys['admin']}",
                     "--generation-with-security-parameters", "false"]
    result = run(start_hub(*options), tmp_path, *arguments)
    figure(result.stdout.strip().splitlines()[-1].strip("= "))
    assert result.returncode == 0, result.stdout[-20_000:] + result.stderr[-2000:]

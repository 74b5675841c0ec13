"""Schemathesis over `/openapi.json`: what the hub answers to thousands of requests, right and wrong ones, is what is described.

It asks for anything, `*/*`, so `GET …/events` is history: a stream would not end. What streams answer with is in test_openapi.py.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from credentials import CredentialsFile, grant
from figures import ENFORCED
from hub_process import environment_without_settings

HERE = Path(__file__).parent

#: What an answer must be, whatever was asked. `ignored_auth` is left to test_credentials.py: it shows wrong credentials until
#: the address is refused for a minute, and nothing else is tried in that.
CHECKS = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
          "response_schema_conformance", "negative_data_rejection", "unsupported_method", "use_after_free",
          "fields_are_described"]
#: In the quick form each hub gets a part of the phases, and the same requests each time.
QUICK = {"open": ["--generation-deterministic", "--phases", "examples,fuzzing", "--max-examples", "5"],
         "authorised": ["--generation-deterministic", "--phases", "examples,coverage"]}
FULL = ["--generation-database", "none", "--max-time", "300"]


#: Conditions that do not hold, keys that stand for another post and attributes of no CloudEvent refuse a request before
#: anything else of it is looked at. One hub is asked with them, the other without.
IN_THE_WAY = ["If-Match", "If-None-Match", "Idempotency-Key", "key", "ce-specversion", "ce-id", "ce-source", "ce-type",
              "ce-subject", "ce-time", "ce-dataschema"]


def run(hub, tmp_path, options, left_out):
    environment = environment_without_settings(
        SCHEMATHESIS_HOOKS="schemathesis_hooks", PYTHONPATH=str(HERE), CLARION_LEFT_OUT=" ".join(left_out))
    command = [str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(HERE / "schemathesis.toml"),
               "run", f"{hub.url}/openapi.json", "--no-color",
               "--checks", ",".join(CHECKS), "--request-timeout", "20",
               "--suppress-health-check", "all", *options]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=400)


@pytest.mark.measured
@pytest.mark.parametrize("mode", ["open", "authorised"])
def test_every_answer_is_as_described(start_hub, tmp_path, figure, mode):
    options = ["--durability", "memory"]
    arguments, left_out = FULL if ENFORCED else QUICK[mode], []
    if mode == "authorised":
        file = CredentialsFile(tmp_path, {"admin": grant("**")})
        options += ["--credentials", str(file.path)]
        left_out = IN_THE_WAY
        # One credential is enough: a second one would be refused with it.
        arguments = [*arguments, "--header", f"Authorization: Bearer {file.keys['admin']}",
                     "--generation-with-security-parameters", "false"]
    result = run(start_hub(*options), tmp_path, arguments, left_out)
    assert result.returncode == 0, result.stdout[-20_000:] + result.stderr[-2000:]
    figure(re.search(r"[0-9]+ generated.*", result.stdout).group())

"""Dockerfile, compose.yaml and deploy/kubernetes: what they say is held against the program, Caddy and Kubernetes' models.

There is no container engine here: images are not built, and manifests not applied."""

import ipaddress
import json
import os
import re
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest
import requests
import yaml
from kubernetes import client as kubernetes

from credentials import CredentialsFile, grant
from event_stream import EventStream
from hub_process import REPOSITORY, environment_without_settings
from ports import free_port
from waiting import DEADLINE, wait_until

DOCKERFILE = (REPOSITORY / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((REPOSITORY / "compose.yaml").read_text())
KUBERNETES = REPOSITORY / "deploy/kubernetes"
STATEFUL_SET = yaml.safe_load((KUBERNETES / "stateful-set.yaml").read_text())
POD = STATEFUL_SET["spec"]["template"]["spec"]
USER = 10_001

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may be others")


@pytest.fixture
def folder():
    """A folder that any user may enter, as no folder of pytest's is."""
    with tempfile.TemporaryDirectory(dir="/tmp") as path:
        os.chmod(path, 0o755)
        yield Path(path)


@pytest.fixture
def file(tmp_path):
    return CredentialsFile(tmp_path, {"admin": grant("**")})


def as_user(executable, *arguments, **options):
    """Runs a copy of the program as the image's user: others may not enter the folder that it was built in."""
    return subprocess.run(
        [executable, *map(str, arguments)], user=USER, group=USER, extra_groups=[], capture_output=True, text=True,
        timeout=DEADLINE, env=environment_without_settings(), cwd="/", **options)


# The image

def image_settings():
    """What ENV gives, with line breaks taken out."""
    block = re.search(r"^ENV ((?:.*\\\n)*.*)$", DOCKERFILE, re.M)[1].replace("\\\n", " ")
    return dict(word.split("=", 1) for word in block.split())


def test_the_images_settings_are_taken(start_hub, tmp_path):
    settings = {name: value for name, value in image_settings().items() if name != "CLARION_PUBLIC"}
    assert settings["CLARION_DATA"] in re.findall(r"^VOLUME (.*)$", DOCKERFILE, re.M)
    hub = start_hub("--data", str(tmp_path / "data"), "--host", "127.0.0.1", environment=settings)
    assert hub.get("/readyz").status_code == 200


def test_the_images_user_has_a_number():
    assert re.findall(r"^USER (.*)$", DOCKERFILE, re.M) == [f"{USER}:{USER}"]
    assert f"-o {USER} -g {USER} /image/var/lib/clarion" in DOCKERFILE


def test_every_target_has_a_stub(tmp_path):
    shutil.copy(REPOSITORY / "Package.swift", tmp_path)
    script = REPOSITORY / "deploy/docker/stubs"
    subprocess.run([script], cwd=tmp_path, check=True, timeout=120)
    stubs = {path.parent.relative_to(tmp_path) for path in tmp_path.rglob("*")
             if path.name in ("stub.swift", "module.modulemap") and ".build" not in path.relative_to(tmp_path).parts}
    # The folders that there are, and those alone.
    assert {str(path) for path in stubs} >= {f"Sources/{path.name}" for path in (REPOSITORY / "Sources").iterdir() if path.is_dir()}
    assert all((REPOSITORY / path).is_dir() for path in stubs)
    subprocess.run([script, "--remove"], cwd=tmp_path, check=True, timeout=120)
    assert not list((tmp_path / "Sources").rglob("stub.swift"))


@as_root
def test_a_folder_of_another_user_is_explained_in_one_line(executable, folder):
    shutil.copy(executable, folder / "clarion")
    (folder / "data").mkdir()
    for _ in range(2):
        refused = as_user(folder / "clarion", "serve", "--port", "0", "--data", folder / "data")
        [line] = refused.stderr.splitlines()
        assert refused.returncode == 1 and f"chown -R {USER} {folder / 'data'}" in line, refused
        # Also where root has run a hub before.
        (folder / "data/clarion.lock").touch(0o600)
        os.chown(folder / "data", USER, USER)


@as_root
def test_a_key_that_root_makes_belongs_to_whom_the_folder_does(clarion, tmp_path):
    os.chown(tmp_path, USER, USER)
    file = tmp_path / "credentials.json"
    assert clarion("token", "create", "--file", file, "--name", "a").returncode == 0
    assert (file.stat().st_uid, file.stat().st_gid, stat.S_IMODE(file.stat().st_mode)) == (USER, USER, 0o600)
    # What is there stays whose it is.
    os.chown(file, 0, 0)
    assert clarion("token", "create", "--file", file, "--name", "b").returncode == 0
    assert (file.stat().st_uid, file.stat().st_gid) == (0, 0)


# compose.yaml

def compose_settings(file):
    """The hub's, with what is in another place here."""
    settings = dict(COMPOSE["services"]["hub"]["environment"])
    assert settings["CLARION_CREDENTIALS"].startswith("/var/lib/clarion/")
    assert "log:/var/lib/clarion" in COMPOSE["services"]["hub"]["volumes"]
    return {**settings, "CLARION_CREDENTIALS": str(file.path), "CLARION_TRUSTED_PROXY": "127.0.0.1"}


def test_the_hub_of_compose_believes_caddy_alone():
    caddy = COMPOSE["services"]["caddy"]["networks"]["inside"]["ipv4_address"]
    assert COMPOSE["services"]["hub"]["environment"]["CLARION_TRUSTED_PROXY"] == caddy
    [network] = COMPOSE["networks"]["inside"]["ipam"]["config"]
    assert ipaddress.ip_address(caddy) in ipaddress.ip_network(network["subnet"])
    assert "ports" not in COMPOSE["services"]["hub"]


@pytest.mark.skipif(shutil.which("caddy") is None, reason="needs the package caddy")
def test_caddy_of_compose_speaks_http_2_before_the_hub(start_hub, file, tmp_path):
    [mount] = [volume for volume in COMPOSE["services"]["caddy"]["volumes"] if volume.endswith(":/etc/caddy/Caddyfile:ro")]
    documented = (REPOSITORY / mount.split(":")[0]).read_text()
    port = free_port()
    settings = compose_settings(file)
    settings["CLARION_PUBLIC_URL"] = f"https://localhost:{port}"
    hub = start_hub(environment=settings)
    # What keeps it apart from others on this machine, and its authority out of the machine's.
    around = "{\n admin off\n auto_https disable_redirects\n skip_install_trust\n}\n"
    (tmp_path / "Caddyfile").write_text(around + documented)
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path),
                   "CLARION_SITE": f"localhost:{port}", "CLARION_HUB": f"127.0.0.1:{hub.port}"}
    with open(tmp_path / "caddy.log", "wb") as log:
        caddy = subprocess.Popen(
            ["caddy", "run", "--config", str(tmp_path / "Caddyfile"), "--adapter", "caddyfile"], env=environment,
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    authority = tmp_path / "caddy/pki/authorities/local/root.crt"

    def curl(*options):
        return subprocess.run(
            ["curl", "-sS", "--http2", "--noproxy", "*", "--cacert", authority, "-w", "\n%{http_version} %{http_code}", *options],
            capture_output=True, text=True, timeout=DEADLINE)

    try:
        wait_until(lambda: authority.exists() and curl(f"https://localhost:{port}/healthz").returncode == 0, what="Caddy")
        url = f"https://localhost:{port}/topics/a/events"
        key = ["-H", f"Authorization: Bearer {file.keys['admin']}"]
        with EventStream(hub.port, f"/topics/a/events?access_token={file.keys['admin']}") as stream:
            stream.wait_for_comment()
            assert curl("-d", "x", url, *key).stdout.endswith("\n2 201")
            assert stream.next().data == "x"
        assert curl("-d", "x", url).stdout.endswith("\n2 401")
    finally:
        caddy.terminate()
        caddy.wait(DEADLINE)


# Kubernetes

def manifests():
    names = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text())["resources"]
    return [yaml.safe_load((KUBERNETES / name).read_text()) for name in names]


@pytest.mark.parametrize("manifest", manifests(), ids=lambda manifest: manifest["kind"])
def test_each_manifest_is_what_kubernetes_knows(manifest):
    api = kubernetes.ApiClient()
    read = api.deserialize(json.dumps(manifest), f"V1{manifest['kind']}", "application/json")
    # What it does not know it leaves out; what is missing it refuses.
    assert api.sanitize_for_serialization(read) == manifest


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="needs kubectl")
def test_kustomize_makes_one_of_them():
    made = subprocess.run(["kubectl", "kustomize", KUBERNETES], capture_output=True, text=True, timeout=60)
    assert made.returncode == 0, made.stderr
    documents = list(yaml.safe_load_all(made.stdout))
    assert {document["kind"] for document in documents} == {manifest["kind"] for manifest in manifests()}
    [workload] = [document for document in documents if document["kind"] == "StatefulSet"]
    assert workload["spec"]["template"]["spec"]["containers"][0]["image"].startswith("registry.example.com/clarion:")


def test_the_manifests_belong_together():
    service, ingress = ({m["kind"]: m for m in manifests()}[kind] for kind in ("Service", "Ingress"))
    labels = STATEFUL_SET["spec"]["template"]["metadata"]["labels"]
    assert STATEFUL_SET["spec"]["selector"]["matchLabels"] == service["spec"]["selector"] == labels
    [container] = POD["containers"]
    [port] = container["ports"]
    [offered] = service["spec"]["ports"]
    assert offered["targetPort"] == port["name"]
    [rule] = ingress["spec"]["rules"]
    [path] = rule["http"]["paths"]
    assert path["backend"]["service"] == {"name": service["metadata"]["name"], "port": {"name": offered["name"]}}
    claims = [claim["metadata"]["name"] for claim in STATEFUL_SET["spec"]["volumeClaimTemplates"]]
    assert {mount["name"] for mount in container["volumeMounts"]} == {*claims, *(volume["name"] for volume in POD["volumes"])}


def test_the_pod_may_do_little():
    assert POD["securityContext"]["runAsUser"] == POD["securityContext"]["fsGroup"] == USER
    assert POD["securityContext"]["runAsNonRoot"]
    [container] = POD["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}


def test_the_probes_find_the_hub_well(start_hub, file):
    [container] = POD["containers"]
    settings = {**image_settings(), **{variable["name"]: variable["value"] for variable in container["env"]}}
    for name in ("CLARION_DATA", "CLARION_PUBLIC"):
        del settings[name]
    hub = start_hub(environment={**settings, "CLARION_CREDENTIALS": str(file.path), "CLARION_HOST": "127.0.0.1"})
    for name in ("startupProbe", "livenessProbe", "readinessProbe"):
        probe = container[name]["httpGet"]
        # The kubelet asks for the pod's address unless it is told otherwise.
        fields = {"Host": "10.244.1.7:8080"} | {field["name"]: field["value"] for field in probe["httpHeaders"]}
        assert requests.get(hub.url + probe["path"], headers=fields, timeout=DEADLINE).status_code == 200, name

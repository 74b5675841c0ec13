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
from figures import ENFORCED
from hub_process import REPOSITORY, environment_without_settings
from nats_servers import PROGRAM
from ports import free_port
from waiting import DEADLINE, wait_until

DOCKERFILE = (REPOSITORY / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((REPOSITORY / "compose.yaml").read_text())
KUBERNETES = REPOSITORY / "deploy/kubernetes"
CLUSTER = REPOSITORY / "deploy/cluster"
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
    # The hub starts first, and would be given the address otherwise.
    assert ipaddress.ip_address(caddy) not in ipaddress.ip_network(network["ip_range"])
    assert ipaddress.ip_network(network["ip_range"]).subnet_of(ipaddress.ip_network(network["subnet"]))
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


# A cluster

def of_this_machine(text, folder, place, ports):
    """The settings of a server, with names and ports of this machine in place of theirs."""
    text = text.replace("/data", str(folder / f"store{place}")).replace("0.0.0.0:", "127.0.0.1:")
    if "http:" not in text:
        text += f"http: 127.0.0.1:{ports[8222][place]}\n"
    for port, own in ports.items():
        text = re.sub(rf"127\.0\.0\.1:{port}\b", f"127.0.0.1:{own[place]}", text)
    for number, own in enumerate(ports[6222]):
        text = re.sub(rf"nats://[a-z-]+{number + FIRST[folder.name]}(\.[a-z-]+)?:6222", f"nats://127.0.0.1:{own}", text)
    assert "6222" not in text
    return text


#: What the first server is called, by the folder of its settings.
FIRST = {"compose": 1, "kubernetes": 0}


@pytest.mark.skipif(PROGRAM is None or shutil.which("caddy") is None, reason="needs nats-server and caddy")
@pytest.mark.parametrize("kind", FIRST if ENFORCED else ["compose"])
def test_hubs_on_servers_with_the_settings_that_are_given(start_hub, tmp_path, kind):
    folder = tmp_path / kind
    folder.mkdir()
    settings = (CLUSTER if kind == "compose" else KUBERNETES / "cluster") / "nats.conf"
    ports = {port: [free_port() for _ in range(3)] for port in (4222, 6222, 8222)}
    hubs, processes = free_port(), []
    try:
        for place in range(3):
            path = folder / f"{place}.conf"
            path.write_text(of_this_machine(settings.read_text(), folder, place, ports))
            with open(folder / f"{place}.log", "wb") as log:
                processes.append(subprocess.Popen([PROGRAM, "-c", path, "--name", f"n{place}"], stdout=log, stderr=log))
        given = cluster_log(kind)
        for place, port in enumerate(ports[4222]):
            given = re.sub(rf"nats-{place + FIRST[kind]}(\.[a-z-]+)?:4222", f"localhost:{port}", given).replace("nats://clarion-", "nats://")
        nodes = [start_hub("--log", given) for _ in range(3)]
        environment = {**os.environ, "CLARION_PORT": str(hubs), "CLARION_HUBS": " ".join(f"127.0.0.1:{hub.port}" for hub in nodes),
                       "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
        with open(folder / "caddy.log", "wb") as log:
            processes.append(subprocess.Popen(
                ["caddy", "run", "--config", CLUSTER / "Caddyfile", "--adapter", "caddyfile"], env=environment, stdout=log, stderr=log))

        def post(key):
            try:
                url, headers = f"http://127.0.0.1:{hubs}/topics/a/events", {"Idempotency-Key": key}
                return requests.post(url, data=b"x", headers=headers, timeout=DEADLINE).ok
            except requests.RequestException:
                return False

        wait_until(lambda: post("first"), what="the balancer")
        with EventStream(hubs, "/topics/a/events?type=none") as stream:
            stream.wait_for_comment()
        nodes[0].kill()
        # The balancer finds another; what was on its way to the one that is gone is repeated.
        for number in range(10):
            wait_until(lambda: post(str(number)), what="another node")
        assert len(nodes[1].history("a")) == len(nodes[2].history("a")) == 11
    finally:
        for process in processes:
            process.kill()
            process.wait(DEADLINE)


@pytest.mark.skipif(PROGRAM is None, reason="needs nats-server")
@pytest.mark.parametrize("folder", [CLUSTER, KUBERNETES / "cluster"], ids=FIRST)
def test_the_servers_settings_are_taken(folder):
    checked = subprocess.run([PROGRAM, "-t", "-c", folder / "nats.conf"], capture_output=True, text=True, timeout=DEADLINE)
    assert checked.returncode == 0, checked.stderr


def cluster_log(kind):
    """Where the hubs of a cluster find their log."""
    if kind == "compose":
        return yaml.safe_load((CLUSTER / "compose.yaml").read_text())["services"]["hub-1"]["environment"]["CLARION_LOG"]
    [deployment] = [manifest for manifest in manifests("cluster") if manifest["kind"] == "Deployment"]
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    return {variable["name"]: variable["value"] for variable in container["env"]}["CLARION_LOG"]


def test_compose_of_the_cluster_belongs_together():
    services = yaml.safe_load((CLUSTER / "compose.yaml").read_text())["services"]
    hubs = {name for name in services if name.startswith("hub-")}
    servers = {name for name in services if name.startswith("nats-")}
    assert len(hubs) == len(servers) == 3
    assert services["caddy"]["environment"]["CLARION_HUBS"].split() == [f"{name}:8080" for name in sorted(hubs)]
    log = services["hub-1"]["environment"]["CLARION_LOG"]
    assert set(re.findall(r"nats://([a-z0-9-]+):4222", log)) == servers
    assert set(re.findall(r"nats://([a-z0-9-]+):6222", (CLUSTER / "nats.conf").read_text())) == servers
    for name in servers:
        assert services[name]["command"][-1] == name
        assert all((CLUSTER / volume.split(":")[0]).exists() for volume in services[name]["volumes"] if volume.startswith("./"))


# Kubernetes

def manifests(folder="."):
    names = yaml.safe_load((KUBERNETES / folder / "kustomization.yaml").read_text())["resources"]
    return [yaml.safe_load((KUBERNETES / folder / name).read_text()) for name in names]


@pytest.mark.parametrize("manifest", [*manifests(), *manifests("cluster")], ids=lambda manifest: f"{manifest['kind']}-{manifest['metadata']['name']}")
def test_each_manifest_is_what_kubernetes_knows(manifest):
    api = kubernetes.ApiClient()
    read = api.deserialize(json.dumps(manifest), f"V1{manifest['kind']}", "application/json")
    # What it does not know it leaves out; what is missing it refuses.
    assert api.sanitize_for_serialization(read) == manifest


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="needs kubectl")
@pytest.mark.parametrize("folder, kind, added", [(".", "StatefulSet", set()), ("cluster", "Deployment", {"ConfigMap"})])
def test_kustomize_makes_one_of_them(folder, kind, added):
    made = subprocess.run(["kubectl", "kustomize", KUBERNETES / folder], capture_output=True, text=True, timeout=60)
    assert made.returncode == 0, made.stderr
    documents = list(yaml.safe_load_all(made.stdout))
    assert {document["kind"] for document in documents} == {manifest["kind"] for manifest in manifests(folder)} | added
    [workload] = [document for document in documents if document["kind"] == kind]
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


def test_the_manifests_of_the_cluster_belong_together():
    for name in ("clarion", "clarion-nats"):
        own = {manifest["kind"]: manifest for manifest in manifests("cluster") if manifest["metadata"]["name"] == name}
        workload, service, budget = own.get("Deployment") or own["StatefulSet"], own["Service"], own["PodDisruptionBudget"]
        labels = workload["spec"]["template"]["metadata"]["labels"]
        assert workload["spec"]["selector"]["matchLabels"] == service["spec"]["selector"] == labels
        assert budget["spec"]["selector"]["matchLabels"] == labels
        # A node may go for a while, and a server: two of three are left.
        assert workload["spec"]["replicas"] == 3 and budget["spec"]["maxUnavailable"] == 1
        [container] = workload["spec"]["template"]["spec"]["containers"]
        ports = {port["name"] for port in container["ports"]}
        assert {port["targetPort"] for port in service["spec"]["ports"]} <= ports
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            assert container[probe]["httpGet"]["port"] in ports
        spec = workload["spec"]["template"]["spec"]
        claims = [claim["metadata"]["name"] for claim in workload["spec"].get("volumeClaimTemplates", [])]
        assert {mount["name"] for mount in container["volumeMounts"]} == {*claims, *(volume["name"] for volume in spec["volumes"])}
    servers = {f"clarion-nats-{number}.clarion-nats" for number in range(3)}
    assert set(re.findall(r"nats://([a-z0-9.-]+):4222", cluster_log("kubernetes"))) == servers
    assert set(re.findall(r"nats://([a-z0-9.-]+):6222", (KUBERNETES / "cluster/nats.conf").read_text())) == servers


def test_a_node_is_the_single_hub_with_another_log():
    """What stands in both manifests is the same, so that a change of one is not forgotten in the other."""
    [deployment] = [manifest for manifest in manifests("cluster") if manifest["kind"] == "Deployment"]
    pod = deployment["spec"]["template"]["spec"]
    [node], [hub] = pod["containers"], POD["containers"]
    assert {**node, "env": node["env"][1:]} == hub
    assert pod["securityContext"] == POD["securityContext"]


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

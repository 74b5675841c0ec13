"""The files of the console: served as they are, and nothing outside their folder."""

import pytest

from problems import assert_problem
from raw_http import exchange, request


@pytest.fixture(scope="module")
def site(start_shared_hub, tmp_path_factory):
    """A hub with a folder of known files, and a secret beside the folder."""
    folder = tmp_path_factory.mktemp("site")
    public = folder / "Public"
    (public / "scripts").mkdir(parents=True)
    (public / "index.html").write_text("<!doctype html><title>Known</title>")
    (public / "scripts" / "main.js").write_text("export {}")
    (public / "below").mkdir()
    (public / "below" / "index.html").write_text("<!doctype html><title>Below</title>")
    (public / "style.css").write_text("body {}")
    (public / "icon.svg").write_text("<svg/>")
    (public / ".hidden").write_text("secret")
    (folder / "secret.txt").write_text("secret")
    (public / "link.txt").symlink_to(folder / "secret.txt")
    return start_shared_hub("--public", str(public))


@pytest.mark.parametrize("path, type", [
    ("/", "text/html"), ("/index.html", "text/html"), ("/scripts/main.js", "text/javascript"),
    ("/style.css", "text/css"), ("/icon.svg", "image/svg+xml")])
def test_files_have_their_types_and_protective_headers(site, path, type):
    response = site.get(path)
    assert response.status_code == 200
    assert response.headers["Content-Type"].split(";")[0] == type
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "'unsafe-inline'" not in response.headers["Content-Security-Policy"]
    again = site.get(path, headers={"If-None-Match": response.headers["ETag"]})
    assert again.status_code == 304
    assert again.content == b""
    assert site.get(path, headers={"If-None-Match": '"other"'}).status_code == 200


@pytest.mark.parametrize("path", ["/index.html", "/icon.svg", "/scripts/main.js"])
def test_there_is_nothing_below_a_file(site, path):
    for method in ("GET", "HEAD", "POST"):
        assert site.request(method, path + "/").status_code == 404, method
    assert_problem(site.get(path + "/"), 404, "route-unknown")
    assert site.get(path).status_code == 200


def test_a_folder_is_its_page_with_and_without_a_slash(site):
    for path in ("/below", "/below/"):
        assert site.get(path).text == "<!doctype html><title>Below</title>"


def test_head_of_a_file(site):
    response = site.request("HEAD", "/")
    assert response.status_code == 200
    assert response.content == b""
    assert int(response.headers["Content-Length"]) == len(site.get("/").content)


@pytest.mark.parametrize("target", [
    "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/scripts/../../secret.txt", "/scripts/%2e%2e%2f%2e%2e%2fsecret.txt",
    "//secret.txt", "/.hidden", "/%2ehidden", "/../../../../../../etc/passwd", "/etc/passwd", "/secret.txt%00.html",
    "/..\\secret.txt"])
def test_nothing_leads_out_of_the_folder(site, target):
    response = exchange(site.port, request("GET", target))
    assert response.status in (400, 404)
    assert b"secret" not in response.body and b"root:" not in response.body


def test_files_take_no_other_method(site):
    response = site.request("POST", "/index.html", data=b"x")
    assert response.status_code in (404, 405)
    assert response.headers["Content-Type"] == "application/problem+json"


def test_the_console_of_the_repository_is_found_without_an_option(shared_hub):
    response = shared_hub.get("/")
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("text/html")


def test_what_a_page_refers_to_is_kept_until_it_is_another(start_hub, tmp_path):
    public = tmp_path / "Public"
    (public / "scripts").mkdir(parents=True)
    (public / "index.html").write_bytes(b'<script src="v-0/scripts/main.js"></script>\xff')
    addresses = []
    for text in ("export {}", "export { }"):
        (public / "scripts" / "main.js").write_text(text)
        hub = start_hub("--public", str(public))
        page = hub.get("/")
        assert page.headers["Cache-Control"] == "no-cache" and page.content.endswith(b"\xff")
        addresses.append("/" + page.content.split(b'"')[1].decode())
        script = hub.get(addresses[-1])
        assert script.text == text and script.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        # That of now, which is not kept as what it was; and of a version there are no pages.
        for other in (addresses[0], "/v-1/scripts/main.js", "/scripts/main.js"):
            script = hub.get(other)
            assert script.text == text
            assert (script.headers["Cache-Control"] == "no-cache") == (other != addresses[-1])
        for other in ("/", "/scripts", "/nothing.js", "/scripts/main.js/"):
            assert_problem(hub.get(addresses[-1].removesuffix("/scripts/main.js") + other), 404, "route-unknown")
        hub.stop()
    assert addresses[0] != addresses[1]

"""The page without a network, after one visit: on a server and on a published site, from one version to the next."""

import re
import shutil
import time

import pytest
from playwright.sync_api import Error, expect

from evilpegs_server.publishing import folder as publishing
from evilpegs_server.publishing.folder import SiteFolder
from evilpegs_server.site.page import PAGE_FOLDER, load_page
from support.browser import PATIENCE_MS, WatchedPage, follow
from support.certificates import make_certificate
from support.page.local_games import play
from support.page.record_files import HONEST, record_file
from support.page.secure_host import NAME, Host, https_context, trusting
from support.patience import PATIENCE
from support.threaded_server import server_in_thread

pytestmark = pytest.mark.full
READY = "navigator.serviceWorker.ready.then(() => true)"
KEPT = """caches.keys().then((names) => Promise.all(names.map(async (name) => [
  name, (await (await caches.open(name)).keys()).map(({ url }) => url)]))).then(Object.fromEntries)"""
BYTES = """caches.keys().then(async ([name]) => {
  const all = await (await caches.open(name)).matchAll();
  return (await Promise.all(all.map((each) => each.blob()))).reduce((sum, { size }) => sum + size, 0);
})"""
REGISTERED = "navigator.serviceWorker.getRegistrations().then((all) => all.map(({ scope }) => scope))"
REGISTRATION = "navigator.serviceWorker.getRegistration()"
VERSIONS = """[...new Set(performance.getEntriesByType("resource").concat(
  performance.getEntriesByType("navigation")).map(({ name }) => /static\\/([^/]+)/.exec(name)?.[1]).filter(Boolean))]"""
NOTE = """
window.registered = [];
if ("serviceWorker" in navigator) {
  const { register } = ServiceWorkerContainer.prototype;
  ServiceWorkerContainer.prototype.register = function (...given) {
    window.registered.push(given[0]);
    return register.apply(this, given);
  };
}"""
ALONE = {
    "#/": "Find the code",
    "#/play/5x8-evil": "5×8 against evil",
    "#/daily": "Game of the day",
    "#/results": "Your results",
    "#/assist": "Solver",
    "#/verify": "Verify a record",
    "#/docs": "Documents",
    "#/docs/tour": "A tour of evilpegs",
    "#/protocol": "The evilpegs protocol",
}
NEEDING = ("#/ladders", "#/ladder/classic", "#/matches", "#/rounds", "#/player/minimax", "#/server/classic-practice")
OTHER = b"<title>Another program</title>"
MANIFEST = {"evilpegs": "1", "made_at": 0, "log": "x", "documents": {}, "players": "", "matches": {}, "lists": []}


@pytest.fixture(scope="module")
def trusted(browser):
    """A browser that trusts the hosts of these tests."""
    started = trusting(browser)
    yield started
    started.close()


@pytest.fixture(scope="module")
def secure(tmp_path_factory):
    return https_context(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def visit(trusted):
    """Open pages in one profile; the first begins it."""
    opened = []

    def visit(url, address="#/"):
        if not opened:
            opened.append(WatchedPage(trusted, url, ignore_https_errors=True))
            return opened[0].open(address)
        page = opened[0].context.new_page()
        page.goto(url + address)
        return page

    yield visit
    for watched in opened:
        watched.close()
        assert not [each for each in watched.problems if each.startswith("exception")]


@pytest.fixture(scope="module")
def versions(tmp_path_factory):
    """Two versions of a published site; return their folders and the digests of their files."""
    root, made = tmp_path_factory.mktemp("versions"), []
    for number in (1, 2):
        source, out = root / f"page{number}", root / f"site{number}"
        shutil.copytree(PAGE_FOLDER, source)
        (source / "views/results.js").write_text((source / "views/results.js").read_text() + f"// {number}\n")
        page = load_page(source)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(publishing, "load_page", lambda page=page: page)
            folder = SiteFolder(out)
            folder.finish(MANIFEST)
            folder.close()
        made.append((out, next(iter(page.files)).partition("/")[0]))
    return made


@pytest.fixture
def host(versions, secure):
    """A host that has the first version."""
    with Host(versions[0][0]).running(secure) as running:
        yield running


def wait_for(page, promised):
    """Wait until a promise, made again and again, is one for true; `wait_for_function` takes any promise for true."""
    page.evaluate(f"""async () => {{
      const end = performance.now() + {PATIENCE_MS};
      while (!(await ({promised}))) {{
        if (performance.now() > end) throw new Error("in vain");
        await new Promise((resolve) => setTimeout(resolve, 20));
      }}
    }}""")


def wait_for_kept(page, *digests):
    """Wait until exactly these versions are kept.

    A browser ends the worker in use once it is idle and another may take its place. Not always if a debugger is
    attached to it, as here, so that is done here.
    """
    session, states, end = page.context.new_cdp_session(page), {}, time.monotonic() + PATIENCE
    session.on(
        "ServiceWorker.workerVersionUpdated",
        lambda event: states.update({each["versionId"]: each["status"] for each in event["versions"]}),
    )
    session.send("ServiceWorker.enable")
    names = "caches.keys().then((names) => names.map((name) => name.split('/').at(-2)))"
    while sorted(page.evaluate(names)) != sorted(digests):
        assert time.monotonic() < end
        if "installed" in states.values():
            for version in [version for version, state in states.items() if state == "activated"]:
                session.send("ServiceWorker.stopWorker", {"versionId": version})
        page.wait_for_timeout(20)
    session.detach()


def expect_version(page, digest, address="#/daily", heading="Game of the day"):
    """Load the page again and open a view: all that it loads is of one version."""
    page.goto(page.url.partition("#")[0] + "#/nothing")
    page.reload()
    page.locator("not-found-view h1").wait_for()
    follow(page, address)
    expect(page.get_by_role("heading", level=1)).to_contain_text(heading)
    assert page.evaluate(VERSIONS) == [digest]


def test_page_of_a_server_works_without_it_after_one_visit(visit, tmp_path):
    cert, key = make_certificate(tmp_path)
    options = {"tls_cert": cert, "tls_key": key, "hosts": (NAME,)}
    with server_in_thread(f"sqlite:///{tmp_path}/offline.sqlite3", **options) as server:
        site = server.site_url.replace("127.0.0.1", NAME)
        page = visit(site)
        page.evaluate(READY)
        [(name, kept)] = page.evaluate(KEPT).items()
        page.reload()
        page.locator("code-entry").wait_for()
        answers = []
        page.on("response", lambda answer: answers.append((answer.url.removeprefix(site), answer.from_service_worker)))
        for address in NEEDING:
            follow(page, address)
            page.wait_for_load_state("networkidle")
        assert {url.split("/")[0]: is_kept for url, is_kept in answers} == {"static": True, "api": False}
        assert page.evaluate(KEPT) == {name: kept}
        files = re.search('NAMES = "([^"]+)"', page.evaluate("fetch('offline.js').then((answer) => answer.text())"))
        folder = re.search("static/[^/]+/", kept[0])[0]
        assert sorted(kept) == sorted([site, *(f"{site}{folder}{each}" for each in files[1].split())])
        assert page.evaluate(BYTES) < 1_800_000
    page.context.set_offline(True)
    for address, heading in ALONE.items():
        page.goto(site + "#/nothing")
        page.reload()
        follow(page, address)
        expect(page.get_by_role("heading", level=1)).to_contain_text(heading)
    follow(page, "#/verify")
    page.get_by_label("choose its file").set_input_files(record_file(next(iter(HONEST.values()))))
    expect(page.locator("record-check .good")).to_be_visible()
    follow(page, "#/daily")
    play(page, "1122")
    follow(page, "#/assist/4x6?turns=1122:1,0&v=1")
    expect(page.locator("assist-view .left")).to_contain_text("256 of 1,296 codes left")
    expect(page.get_by_role("alert")).to_contain_text("your browser counts")
    for address in NEEDING:
        follow(page, address)
        expect(page.get_by_role("alert").first).to_contain_text("server does not answer")
    policy = "fetch(importing).then((answer) => answer.headers.get('content-security-policy'))"
    worker = page.evaluate("new URL('bots/worker.js', document.querySelector('script[type=module]').src).href")
    assert page.evaluate(f"(importing) => {policy}", worker) == "default-src 'none'; script-src 'unsafe-eval'"


def test_page_that_was_not_visited_needs_the_network(visit, host):
    """The control of the test above."""
    page = visit("about:blank", "")
    page.context.set_offline(True)
    with pytest.raises(Error, match="ERR_INTERNET_DISCONNECTED"):
        page.goto(host.url)


def test_new_version_replaces_the_old_and_no_page_has_files_of_both(visit, host, versions):
    (_, old), (folder, new) = versions
    page = visit(host.url)
    page.evaluate(READY)
    wait_for_kept(page, old)
    host.folder, lost = folder, f"/static/{new}/views/results.js"
    # a host of files may answer with its own page where one is missing
    host.instead = lambda path: (200, {}, OTHER) if path == lost else None
    page.reload()
    host.wait_until_asked(lost)
    wait_for(page, f"{REGISTRATION}.then((each) => !each.installing && !each.waiting)")
    expect_version(page, new)
    page.context.set_offline(True)
    expect_version(page, old)
    expect_version(page, old, "#/results", "Your results")
    page.context.set_offline(False)
    host.instead = None
    expect_version(page, new)
    wait_for_kept(page, new)
    page.context.set_offline(True)
    expect_version(page, new, "#/results", "Your results")


def test_window_of_the_old_version_keeps_its_files_until_it_is_closed(visit, host, versions):
    (_, old), (folder, new) = versions
    page = visit(host.url)
    page.evaluate(READY)
    other = visit(host.url)
    other.locator("code-entry").wait_for()
    host.folder = folder
    page.reload()
    wait_for(page, f"{REGISTRATION}.then((each) => each.waiting !== null)")
    other.get_by_role("link", name="Daily").click()
    expect(other.get_by_role("heading", name="Game of the day")).to_be_visible()
    assert [page.evaluate(VERSIONS), other.evaluate(VERSIONS)] == [[new], [old]]
    wait_for_kept(page, old, new)
    other.close()
    page.reload()
    wait_for_kept(page, new)


@pytest.mark.parametrize(
    "instead",
    [
        lambda _: (200, {}, OTHER),
        lambda _: (404, {}, OTHER),
        lambda _: (200, {"Content-Type": "application/json"}, b'{"name": "evilpegs"}'),
        lambda path: (200, {}, OTHER) if path == "/login" else (302, {"Location": "/login"}, b""),
    ],
    ids=["page", "missing", "json", "redirect"],
)
def test_next_program_at_the_address_is_left_alone(visit, host, instead, versions):
    page = visit(host.url)
    page.evaluate(READY)
    assert page.evaluate(REGISTERED) == [host.url]
    host.instead = instead
    page.reload()
    assert page.locator("nav").count() == 0
    wait_for(page, f"{REGISTERED}.then((all) => all.length === 0)")
    assert page.evaluate("caches.keys()") == []
    host.instead = None
    page.goto(host.url)
    page.evaluate(READY)
    wait_for_kept(page, versions[0][1])


def test_server_that_starts_or_is_slow_is_none_of_another_program(visit, host, versions):
    page = visit(host.url)
    page.evaluate(READY)
    for status in (503, 502, 429):
        host.instead = lambda _, status=status: (status, {}, b"<title>Bad gateway</title>")
        page.reload()
        page.locator("code-entry").wait_for()
        assert page.evaluate(REGISTERED) == [host.url]
    host.instead = None
    host.may_answer.clear()
    page.reload()
    page.locator("code-entry").wait_for()
    assert page.evaluate(VERSIONS) == [versions[0][1]]


def test_sites_of_one_host_keep_their_own(visit, secure, versions, tmp_path):
    for (folder, _), name in zip(versions, "ab", strict=True):
        shutil.copytree(folder, tmp_path / "sites" / name)
    with Host(tmp_path / "sites").running(secure) as host:
        page = visit(f"{host.url}a/")
        page.evaluate(READY)
        page.goto(f"{host.url}b/index.html#/")
        page.evaluate(READY)
        wait_for_kept(page, *(digest for _, digest in versions))
        shutil.rmtree(tmp_path / "sites/b")
        page.goto(f"{host.url}b/")
        wait_for(page, f"{REGISTERED}.then((all) => all.length === 1)")
        page.context.set_offline(True)
        page.goto(f"{host.url}a/#/nothing")
        expect_version(page, versions[0][1])


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "pegs.localhost"])
def test_nothing_is_kept_of_this_machine_itself(visit, host, name):
    keep = "importOfPage('keep_offline.js').then((module) => module.keepOffline())"
    page = visit(host.url)
    page.context.add_init_script(NOTE)
    page.reload()
    page.evaluate(keep)
    assert page.evaluate("registered[0]") == "offline.js"  # the control
    page.goto(host.url.replace(NAME, name))
    page.locator("code-entry").wait_for()
    page.evaluate(keep)
    assert page.evaluate("[isSecureContext, registered, location.hostname]") == [True, [], name]
    assert page.evaluate(REGISTERED) == []


def test_page_on_plain_http_works_without_a_worker(visit, versions):
    with Host(versions[0][0]).running() as host:
        page = visit(host.url)
        play(page, "1122")
        assert page.evaluate("[isSecureContext, 'serviceWorker' in navigator]") == [False, False]
        assert "/offline.js" not in host.asked

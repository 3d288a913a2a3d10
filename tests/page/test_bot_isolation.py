"""Code of a bot in the page sends nothing anywhere: each way out of a worker is tried, and tried without the policy."""

import socketserver
import threading

import pytest

from evilpegs_server.site import page as page_files
from support.threaded_server import server_in_thread

pytestmark = pytest.mark.full
REPLY = (
    b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Type: text/javascript\r\n"
    b"Content-Length: 0\r\nConnection: close\r\n\r\n"
)
# Each way asks the listener for a path with its own name; those to this server report what came back.
CODE = """
const tried = (name, start) => new Promise((resolve) => resolve(start())).then(() => name, () => null);
const events = (name, make, opened) => new Promise((resolve) => {
  const source = make();
  source.onerror = (event) => { event.preventDefault?.(); resolve(null); };
  source[opened] = () => resolve(name);
}).catch(() => null);
const request = (url, isAsync) => new Promise((resolve, reject) => {
  const xhr = new XMLHttpRequest();
  xhr.open("GET", url, isAsync);
  xhr.onload = resolve;
  xhr.onerror = reject;
  xhr.send();
});
const nested = URL.createObjectURL(new Blob([`fetch("${OUT}/nested").finally(() => postMessage(1))`]));
Promise.all([
  tried("own", () => fetch(`${OWN}/healthz`)),
  tried("fetch", () => fetch(`${OUT}/fetch`)),
  tried("no-cors", () => fetch(`${OUT}/no-cors`, { mode: "no-cors", method: "POST", body: "secret" })),
  tried("xhr", () => request(`${OUT}/xhr`, true)),
  tried("sync-xhr", () => request(`${OUT}/sync-xhr`, false)),
  tried("importScripts", () => importScripts(`${OUT}/importScripts`)),
  tried("import", () => import(`${OUT}/import`)),
  tried("font", () => new FontFace("x", `url(${OUT}/font)`).load()),
  events("socket", () => new WebSocket(`${OUT.replace("http", "ws")}/socket`), "onopen"),
  events("stream", () => new EventSource(`${OUT}/stream`), "onopen"),
  events("nested", () => new Worker(nested), "onmessage"),
]).then((all) => console.log(JSON.stringify(all.filter((name) => name !== null))));
function choose() {}
"""
WAYS = ["fetch", "no-cors", "xhr", "sync-xhr", "importScripts", "import", "font", "socket", "stream", "nested"]
KEPT = """[window.caches, navigator.storageBuckets, navigator.serviceWorker].map(
  (each) => each?.constructor.name ?? null)"""
RUN = """([code]) => new Promise((resolve, reject) => {
  const worker = new Worker(new URL("bots/worker.js", document.querySelector("script[type=module]").src));
  worker.onerror = () => reject(new Error("no worker"));
  worker.onmessage = ({ data }) => {
    if (data.error) reject(new Error(data.error));
    if (data.log) resolve(JSON.parse(data.log));
  };
  worker.postMessage({ code });
})"""


@pytest.fixture
def listener():
    """Listen for requests of any kind; ``paths`` has what they asked for."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            words = self.rfile.readline().split()  # none if a browser connects in advance
            self.server.paths.append(words[1].decode().strip("/") if words else "")
            while self.rfile.readline().strip():
                pass
            self.wfile.write(REPLY)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as listener:
        listener.daemon_threads = True
        listener.paths = []
        thread = threading.Thread(target=listener.serve_forever)
        thread.start()
        yield listener
        listener.shutdown()
        thread.join()


@pytest.fixture
def try_ways(watch, listener):
    """Run the code in the worker of a page; return the ways that brought something back, and the paths asked for."""

    def try_ways(site_url):
        page = open_worker(watch, site_url)
        out, own = f"http://127.0.0.1:{listener.server_address[1]}", site_url.rstrip("/")
        answered = page.evaluate(RUN, [f'const OUT = "{out}", OWN = "{own}";{CODE}'])
        page.goto("about:blank")
        return answered, set(listener.paths)

    return try_ways


def open_worker(watch, site_url):
    page = watch(site_url).open("#/nothing")
    page.locator("not-found-view h1").wait_for()
    return page


def test_code_of_bot_reaches_nothing(try_ways, watch, server):
    assert try_ways(server.site_url) == ([], set())
    names = ["localStorage", "sessionStorage", "document", "cookieStore", "postMessage", "caches"]
    code = f"console.log(JSON.stringify({names}.filter((name) => self[name] !== undefined))); function choose() {{}}"
    assert open_worker(watch, server.site_url).evaluate(RUN, [code]) == []


def test_code_of_bot_cannot_change_what_is_kept_for_visits_offline(watch, server):
    page = open_worker(watch, server.site_url)
    assert page.evaluate(KEPT) == ["CacheStorage", "StorageBucketManager", "ServiceWorkerContainer"]
    # also not as the page itself would find them again
    code = f"""const found = {KEPT.replace("window", "self")};
    const inherited = [WorkerGlobalScope, WorkerNavigator].flatMap((each) => Object.keys(
      Object.getOwnPropertyDescriptors(each.prototype))).filter((name) => /cache|bucket|serviceWorker/i.test(name));
    console.log(JSON.stringify([...found, ...inherited])); function choose() {{}}"""
    assert page.evaluate(RUN, [code]) == [None, None, None]


def test_same_code_gets_out_without_policy(try_ways, tmp_path, monkeypatch):
    """The control of the test above."""
    monkeypatch.setattr(page_files, "FILE_HEADERS", {})
    with server_in_thread(f"sqlite:///{tmp_path}/open.sqlite3") as open_server:
        answered, asked = try_ways(open_server.site_url)
    assert asked >= set(WAYS)
    assert "own" in answered

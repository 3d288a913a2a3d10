"""A host of files on https under a name of its own, whose files may be replaced, and a browser that trusts it.

Browsers have service workers on https and on loopback addresses only, and the page registers none on the latter.
"""

import contextlib
import http.server
import ssl
import threading
from urllib.parse import urlsplit

from support.browser import CHROMIUM, FLAGS
from support.certificates import make_certificate
from support.patience import PATIENCE

NAME = "pegs.test"
TRUSTING = (f"--host-resolver-rules=MAP {NAME} 127.0.0.1", "--ignore-certificate-errors")
"""What `ignore_https_errors` of Playwright allows to a page, a service worker may not do without these flags."""


def trusting(browser):
    """Start another browser like this one, for which `NAME` is this machine and its certificate a good one."""
    return browser.browser_type.launch(executable_path=CHROMIUM, args=[*FLAGS, *TRUSTING])


class Host:
    """A host that answers with the files of ``folder``, but for the paths that ``instead`` has something for."""

    def __init__(self, folder):
        self.folder = folder
        self.instead = None  # returns status, headers and body for a path, or None
        self.asked = []
        self._changed = threading.Condition()
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.url = None

    def note(self, path):
        with self._changed:
            self.asked.append(path)
            self._changed.notify_all()

    def wait_until_asked(self, path):
        with self._changed:
            assert self._changed.wait_for(lambda: path in self.asked, PATIENCE)

    @contextlib.contextmanager
    def running(self, context=None):
        """Serve during the block, on https with a context of `ssl`."""
        host = self

        class Handler(http.server.SimpleHTTPRequestHandler):
            extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript"}

            def __init__(self, *args):
                super().__init__(*args, directory=host.folder)

            def do_GET(self):
                host.may_answer.wait()
                path = urlsplit(self.path).path
                found = host.instead(path) if host.instead else None
                if found is None:
                    super().do_GET()
                else:
                    self.answer(*found)
                host.note(path)

            def answer(self, status, headers, body):
                self.send_response(status)
                for name, value in {"Content-Type": "text/html", "Content-Length": len(body), **headers}.items():
                    self.send_header(name, str(value))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            server.handle_error = lambda *_: None  # a browser that leaves
            if context is not None:
                # the handshake belongs to the thread of the request: a browser connects in advance and says nothing
                server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
            server.daemon_threads = True
            thread = threading.Thread(target=server.serve_forever, args=(0.02,))
            thread.start()
            scheme = "http" if context is None else "https"
            self.url = f"{scheme}://{NAME}:{server.server_port}/"
            try:
                yield self
            finally:
                self.may_answer.set()
                server.shutdown()
                thread.join()


def https_context(folder):
    """Return a context of `ssl` for servers, with a certificate that no authority signed."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*make_certificate(folder))
    return context

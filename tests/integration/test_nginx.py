"""The configuration of nginx in docs/operate.md, in front of a server: visitors, players and what stays inside."""

import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

import httpx
import pytest

from support.certificates import make_certificate, trust
from support.deployment import METRICS, asked, replaced, take_all_streams
from support.in_process import serving
from support.patience import PATIENCE
from support.requirements import fail_or_skip
from support.servers import dial

DOCUMENT = Path(__file__).parents[2] / "docs/operate.md"
MAIN = """
daemon off;
pid {folder}/nginx.pid;
error_log stderr;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
    uwsgi_temp_path {folder}; scgi_temp_path {folder};
    {server}
}}
"""


class Nginx:
    """nginx with the configuration of the document at a port that listens already; ``tls`` is that of a client."""

    def __init__(self, folder):
        self.folder, (self.certificate, self._key) = folder, make_certificate(folder, "nginx")
        self.tls = trust(self.certificate)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]

    def start(self, server):
        (text,) = re.findall(r"```nginx\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
        here = {
            "listen 443 ssl": f"listen 127.0.0.1:{self.port} ssl",
            "server_name games.example": "server_name localhost",
            "/etc/ssl/games.example.pem": str(self.certificate),
            "/etc/ssl/private/games.example.key": str(self._key),
            "127.0.0.1:8765": f"127.0.0.1:{server.port}",
            "127.0.0.1:8000": f"127.0.0.1:{server.site.port}",
            # a port that is not the usual one is part of the header
            "proxy_set_header Host $host;": "proxy_set_header Host $http_host;",
        }
        file = self.folder / "nginx.conf"
        file.write_text(MAIN.format(folder=self.folder, server=replaced(text, here)))
        program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin") or fail_or_skip(
            "docs/operate.md has a configuration of nginx; on Debian: apt install nginx"
        )
        number = self.socket.fileno()
        # as at the update of a running nginx, which hands over its listening sockets
        surroundings = os.environ | {"NGINX": f"{number};"}
        with (self.folder / "nginx.log").open("wb") as log:
            return subprocess.Popen(
                [program, "-c", file, "-p", self.folder], stderr=log, env=surroundings, pass_fds=[number]
            )


@pytest.fixture
async def nginx(database, tmp_path):
    nginx = Nginx(tmp_path)
    own = {"site": True, "trusted_proxies": ("127.0.0.1",), "site_url": f"https://localhost:{nginx.port}/"}
    try:
        async with serving(database, **own) as server:
            process = nginx.start(server)
            try:
                yield nginx
            finally:
                process.terminate()  # its worker too
                process.wait(PATIENCE)
    finally:
        nginx.socket.close()


async def test_configuration_serves_players_and_visitors_and_keeps_metrics_inside(nginx):
    async with httpx.AsyncClient(verify=nginx.tls, timeout=PATIENCE) as client:
        page = await client.get(f"https://localhost:{nginx.port}/", headers={"Accept": "text/html"})
        assert (page.status_code, page.headers["Content-Type"].partition(";")[0]) == (200, "text/html")
    for target in METRICS:
        async with asked(nginx, target) as status:
            assert status == 404
    async with dial(f"wss://localhost:{nginx.port}/v1", ssl=nginx.tls) as raw:
        await raw.hello(name=False)
        await raw.play("classic-evil-practice")


async def test_visitor_with_many_streams_behind_nginx_keeps_nobody_out(nginx):
    await take_all_streams(nginx)

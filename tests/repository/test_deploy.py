"""deploy/: the proxy, the units and the compose file fit each other, the image, and what evilpegs takes."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from evilpegs.main import app
from evilpegs_server.settings import Settings
from evilpegs_server.timing import Timing
from support.certificates import make_certificate
from support.deployment import CERTIFICATE, DEPLOY, find_haproxy, read_compose, replaced
from support.patience import PATIENCE

CONTAINERFILE = (DEPLOY.parent / "Containerfile").read_text()
PROXY = (DEPLOY / "haproxy.cfg").read_text()
SERVICES = read_compose()["services"]
OURS = {name: each for name, each in SERVICES.items() if each["image"] == "evilpegs"}
UNITS = ("evilpegs", "evilpegs-show")


def address(name):
    return SERVICES[name]["networks"]["default"]["ipv4_address"]


def check(text, folder):
    """Return the exit status of haproxy's own check of a configuration, with a certificate that exists."""
    certificate, key = make_certificate(folder)
    (folder / "tls.pem").write_bytes(certificate.read_bytes() + key.read_bytes())
    (folder / "haproxy.cfg").write_text(replaced(text, {CERTIFICATE: str(folder / "tls.pem")}))
    command = [find_haproxy(), "-c", "-f", folder / "haproxy.cfg"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert "[WARNING]" not in done.stderr, done.stderr
    return done.returncode


def test_proxy_accepts_its_configuration(tmp_path):
    assert check(PROXY, tmp_path) == 0


def test_proxy_refuses_broken_configuration(tmp_path):
    """The control of the test above."""
    assert check(PROXY.replace("balance leastconn", "balance mostconn"), tmp_path) == 1


def test_proxy_and_compose_file_name_the_same_addresses_and_files():
    servers = set(re.findall(r"^ +server (\w+) (\S+)", PROXY, re.MULTILINE))
    game, site = re.findall(r"^EXPOSE (\d+) (\d+)", CONTAINERFILE, re.MULTILINE)[0]
    ports = {"one": game, "two": game, "show": site}
    assert servers == {(name, f"{address(name)}:{port}") for name, port in ports.items()}
    published = {each.rpartition(":")[2] for each in SERVICES["proxy"]["ports"]}
    assert set(re.findall(r"bind :(\d+)", PROXY)) == published
    assert CERTIFICATE in PROXY
    assert any(each.endswith(f"{CERTIFICATE}:ro") for each in SERVICES["proxy"]["volumes"])
    assert re.findall(r"uri (/\w+)", PROXY) == ["/readyz", "/healthz"]


def test_nodes_trust_the_proxy_and_nobody_else():
    for each in OURS.values():
        assert each["environment"]["EVILPEGS_TRUSTED_PROXIES"] == address("proxy")
        assert f"@{address('database')}/" in each["environment"]["EVILPEGS_DATABASE"]


@pytest.mark.parametrize("name", OURS)
def test_command_of_service_is_one_of_evilpegs(name):
    program, *words = OURS[name]["command"]
    function, bound, _ = app.parse_args(words, exit_on_error=False, print_error=False)
    assert program == json.loads(re.findall(r"^CMD (.*)", CONTAINERFILE, re.MULTILINE)[0])[0]
    expected = {"tables": "upgrade", "one": "serve", "two": "serve", "show": "show"}
    assert function.__name__ == expected[name]
    if function.__name__ == "serve":
        assert bound.arguments == {"node": name, "site": False}


@pytest.mark.parametrize("name", OURS)
def test_environment_of_service_has_settings(name):
    given = {key.removeprefix("EVILPEGS_").lower() for key in OURS[name]["environment"] if key.startswith("EVILPEGS_")}
    assert given <= Settings.model_fields.keys()
    assert {"database", "server_key", "site_url", "trusted_proxies"} <= given


def test_nodes_wait_for_the_tables_and_are_healthy_when_ready():
    assert OURS["tables"]["depends_on"]["database"]["condition"] == "service_healthy"
    for name, port in (("one", 8765), ("two", 8765), ("show", 8000)):
        assert OURS[name]["depends_on"]["tables"]["condition"] == "service_completed_successfully"
        (python, option, code) = OURS[name]["healthcheck"]["test"][1:]
        assert (option, re.findall(r"http://\S+?(?=')", code)) == ("-c", [f"http://127.0.0.1:{port}/readyz"])
        assert python in CONTAINERFILE
        assert int(OURS[name]["stop_grace_period"].removesuffix("s")) > Timing().stop_seconds


def test_one_service_builds_the_image_for_all():
    assert [name for name, each in OURS.items() if "build" in each] == ["tables"]
    assert {each["pull_policy"] for each in OURS.values()} == {"never"}


def test_proxy_stops_at_once_and_sees_the_addresses_of_players():
    proxy = SERVICES["proxy"]
    assert proxy["stop_signal"] == "SIGTERM"
    assert {each.partition(":")[0] for each in proxy["ports"]} == {"0.0.0.0"}


@pytest.mark.parametrize("name", SERVICES)
def test_containers_are_confined(name):
    confined = {"cap_drop": ["ALL"], "security_opt": ["no-new-privileges:true"], "read_only": True}
    assert {key: SERVICES[name][key] for key in confined} == confined
    assert "/tmp" in SERVICES[name]["tmpfs"]
    assert ("cap_add" in SERVICES[name]) == (name == "database")


def test_health_check_fails_without_server():
    codes = [OURS[name]["healthcheck"]["test"][-1] for name in ("one", "two", "show")]
    for code in {re.sub(r":\d+/", ":1/", code) for code in codes}:
        assert subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL, check=False).returncode == 1


def test_no_secret_is_in_the_compose_file():
    named = re.findall(r"^ *(\w*PASSWORD\w*): (.*)", (DEPLOY / "compose.yaml").read_text(), re.MULTILINE)
    assert [value[:2] for _, value in named] == ["${", "${"]
    assert not re.search(r"://\w+:\w+@", (DEPLOY / "compose.yaml").read_text())


def unit(name):
    """Return the values of each setting of a unit, by section and name."""
    found, section = defaultdict(lambda: defaultdict(list)), None
    for line in (DEPLOY / f"{name}.service").read_text().splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found[section][key].append(value)
    return found


@pytest.mark.parametrize("name", UNITS)
def test_unit_starts_evilpegs_and_gives_it_time_to_stop(name):
    service = unit(name)["Service"]
    program, *words = service["ExecStart"][0].split()
    function, _, _ = app.parse_args(words, exit_on_error=False, print_error=False)
    assert (program, function.__name__) == ("/opt/evilpegs/bin/evilpegs", words[0])
    assert float(service["TimeoutStopSec"][0]) > Timing().stop_seconds
    variables = {each.partition("=")[0] for each in service["Environment"]}
    assert {each.removeprefix("EVILPEGS_").lower() for each in variables if each.startswith("EVILPEGS_")} <= set(
        Settings.model_fields
    )
    hardening = {"ProtectSystem": ["strict"], "NoNewPrivileges": ["true"], "Restart": ["on-failure"]}
    assert {key: service[key] for key in hardening} == hardening
    assert service["StateDirectory"] == ["evilpegs"]
    assert service["SystemCallFilter"] == ["@system-service"]
    assert service["MemoryMax"]
    assert "MemoryDenyWriteExecute" not in service, "compiled kernels"


@pytest.mark.parametrize("name", UNITS)
def test_systemd_accepts_unit(name, tmp_path):
    """Where systemd is not installed, only the sections are looked at."""
    assert unit(name).keys() == {"Unit", "Service", "Install"}
    if (program := shutil.which("systemd-analyze")) is None:
        return
    file = tmp_path / f"{name}.service"
    evilpegs = {"/opt/evilpegs/bin/evilpegs": str(Path(sys.executable).with_name("evilpegs"))}
    file.write_text(replaced((DEPLOY / file.name).read_text(), evilpegs))
    environment = os.environ | {"SYSTEMD_LOG_LEVEL": "warning"}
    done = subprocess.run(
        [program, "verify", file], capture_output=True, text=True, timeout=PATIENCE, check=False, env=environment
    )
    assert (done.returncode, [line for line in done.stderr.splitlines() if file.name in line]) == (0, [])

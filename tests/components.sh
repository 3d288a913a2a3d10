#!/bin/sh
# Installs the programs that some tests need and this machine lacks, where root may. Where not, those tests are skipped with a
# line each; in CI they fail.
packages=""
command -v node >/dev/null || packages="$packages nodejs"
command -v npm >/dev/null || packages="$packages npm"
command -v cc >/dev/null || packages="$packages gcc libc6-dev"
command -v mosquitto >/dev/null || [ -x /usr/sbin/mosquitto ] || packages="$packages mosquitto"
command -v mosquitto_sub >/dev/null || packages="$packages mosquitto-clients"
command -v chromium >/dev/null || packages="$packages chromium"
command -v zbarimg >/dev/null || packages="$packages zbar-tools"
[ -x /usr/sbin/haproxy ] || command -v haproxy >/dev/null || packages="$packages haproxy"
ls /usr/lib/*/faketime/libfaketime.so.1 >/dev/null 2>&1 || packages="$packages libfaketime"
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || packages="$packages postgresql"
[ -n "$packages" ] || exit 0
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "missing for some tests:$packages (apt install$packages)" >&2
    exit 0
fi
echo "installing for the tests:$packages"
export DEBIAN_FRONTEND=noninteractive
# Debian makes and starts a database server for the whole machine with the package; the tests start their own.
case "$packages" in *postgresql*)
    mkdir -p /etc/postgresql-common
    [ -e /etc/postgresql-common/createcluster.conf ] \
        || echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
    ;;
esac
# shellcheck disable=SC2086 - a list of words
{ apt-get update -qq && apt-get install -y -qq --no-install-recommends $packages; } >/dev/null 2>&1 \
    || echo "could not install:$packages" >&2
# Debian starts a broker and a proxy for the whole machine with the packages; the tests start their own.
case "$packages" in *mosquitto*) service mosquitto stop >/dev/null 2>&1 ;; esac
case "$packages" in *haproxy*) service haproxy stop >/dev/null 2>&1 ;; esac
exit 0

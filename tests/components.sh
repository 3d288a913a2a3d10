#!/bin/sh
# Installs the programs that a group of tests needs and this machine lacks, where root may. Where not, those tests are
# skipped with a line each; in CI they fail.
#
#   sh tests/components.sh test|faults|page|all
missing=""
need() { missing="$missing $*"; }
javascript() { command -v node >/dev/null || need nodejs; }
types() { command -v npm >/dev/null || need npm; }
compiler() { command -v cc >/dev/null || need gcc libc6-dev; }
browser() {
    command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || need chromium-headless-shell
}
shells() {
    command -v fish >/dev/null || need fish
    command -v zsh >/dev/null || need zsh
}
pages() { command -v groff >/dev/null || need groff-base; }
codes() { command -v zbarimg >/dev/null || need zbar-tools; }
proxy() { [ -x /usr/sbin/haproxy ] || command -v haproxy >/dev/null || need haproxy; }
other_proxy() { [ -x /usr/sbin/nginx ] || command -v nginx >/dev/null || need nginx; }
clock() { ls /usr/lib/*/faketime/libfaketime.so.1 >/dev/null 2>&1 || need libfaketime; }
broker() {
    [ -x /usr/sbin/mosquitto ] || command -v mosquitto >/dev/null || need mosquitto
    command -v mosquitto_sub >/dev/null || need mosquitto-clients
}
postgresql() { ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || need postgresql; }

group=${1:-all}
case "$group" in
    test) javascript; compiler; broker; browser; postgresql ;;
    faults) postgresql; clock ;;
    page) javascript; types; browser; codes ;;
    all) javascript; types; compiler; broker; browser; codes; shells; pages; proxy; other_proxy; clock; postgresql ;;
    *) echo "components.sh: there is no group '$group': test, faults, page or all" >&2; exit 2 ;;
esac
[ -n "$missing" ] || exit 0
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "missing for some tests:$missing (apt install$missing)" >&2
    exit 0
fi
echo "installing for the tests, which takes a minute or two:$missing"
export DEBIAN_FRONTEND=noninteractive
# Debian makes and starts a database server for the whole machine with the package; the tests start their own.
case "$missing" in *postgresql*)
    mkdir -p /etc/postgresql-common
    [ -e /etc/postgresql-common/createcluster.conf ] \
        || echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
    ;;
esac
# shellcheck disable=SC2086 - a list of words
{ apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing; } >/dev/null 2>&1 \
    || echo "could not install:$missing" >&2
# Debian starts a broker and a proxy for the whole machine with the packages; the tests start their own.
case "$missing" in *mosquitto*) service mosquitto stop >/dev/null 2>&1 ;; esac
case "$missing" in *haproxy*) service haproxy stop >/dev/null 2>&1 ;; esac
case "$missing" in *nginx*) service nginx stop >/dev/null 2>&1 ;; esac
exit 0

#!/usr/bin/env bash
# Runs versitygw on a folder for the storage tests, on a random local port: test/support/servers/versitygw.sh npm run
# test:storage. Uses the binary in VERSITYGW_BINARY, or versitygw on the PATH (go install
# github.com/versity/versitygw/cmd/versitygw@v1.8.0). See with-server.sh for the rest.
set -euo pipefail
source "$(dirname "$0")/with-server.sh"

versitygw=${VERSITYGW_BINARY:-$(command -v versitygw || true)}
[[ -x $versitygw ]] || { echo "versitygw was not found. Put it on the PATH, or set VERSITYGW_BINARY." >&2; exit 1; }

access=$(head -c 12 /dev/urandom | od -An -tx1 | tr -d ' \n')
secret=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
address=127.0.0.1:$(free_port)
export ROOT_ACCESS_KEY=$access ROOT_SECRET_KEY=$secret

mkdir "$folder/data"
run "$versitygw" --port "$address" --region us-east-1 posix "$folder/data"
until_true 30 curl -sS -o /dev/null "http://$address/"
serve "http://$address" "$access" "$secret" "$@"

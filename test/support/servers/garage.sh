#!/usr/bin/env bash
# Runs Garage with one node for the storage tests, on random local ports: test/support/servers/garage.sh npm run
# test:storage. Uses the binary in GARAGE_BINARY, or garage on the PATH (cargo install garage). See with-server.sh for
# the rest.
set -euo pipefail
source "$(dirname "$0")/with-server.sh"

garage=${GARAGE_BINARY:-$(command -v garage || true)}
[[ -x $garage ]] || { echo "garage was not found. Put it on the PATH, or set GARAGE_BINARY." >&2; exit 1; }

s3=$(free_port)
rpc=$(free_port)
export GARAGE_CONFIG_FILE=$folder/garage.toml RUST_LOG=warn
cat >"$GARAGE_CONFIG_FILE" <<CONF
metadata_dir = "$folder/meta"
data_dir = "$folder/data"
db_engine = "sqlite"
replication_factor = 1
rpc_bind_addr = "127.0.0.1:$rpc"
rpc_public_addr = "127.0.0.1:$rpc"
rpc_secret = "$(head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n')"
[s3_api]
s3_region = "us-east-1"
api_bind_addr = "127.0.0.1:$s3"
CONF

run "$garage" server
until_true 30 curl -sS -o /dev/null "http://127.0.0.1:$s3/" # a command before that would make keys of its own
until_true 30 "$garage" status
quietly "$garage" layout assign --zone local --capacity 10G "$("$garage" node id --quiet | cut -d@ -f1)"
quietly "$garage" layout apply --version 1
until_true 30 "$garage" key create test
quietly "$garage" key allow --create-bucket test
facts=$("$garage" key info --show-secret test)
field() { sed -n "s/^$1: *//p" <<<"$facts"; }
serve "http://127.0.0.1:$s3" "$(field 'Key ID')" "$(field 'Secret key')" "$@"

#!/usr/bin/env bash
# Runs SeaweedFS for the storage tests, on random local ports: test/support/servers/seaweedfs.sh npm run test:storage.
# Uses the binary in WEED_BINARY, or weed on the PATH. See with-server.sh for the rest.
set -euo pipefail
source "$(dirname "$0")/with-server.sh"

weed=${WEED_BINARY:-$(command -v weed || true)}
[[ -x $weed ]] || { echo "weed was not found. Put it on the PATH, or set WEED_BINARY." >&2; exit 1; }

access=$(head -c 12 /dev/urandom | od -An -tx1 | tr -d ' \n')
secret=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
port=$(free_port)
cat >"$folder/s3.json" <<END
{"identities":[{"name":"test","credentials":[{"accessKey":"$access","secretKey":"$secret"}],"actions":["Admin","Read","Write","List","Tagging"]}]}
END
mkdir "$folder/data"
run "$weed" server -dir="$folder/data" -ip=127.0.0.1 -ip.bind=127.0.0.1 -master.port="$(free_port)" -volume.port="$(free_port)" \
  -filer -filer.port="$(free_port)" -s3 -s3.port="$port" -s3.config="$folder/s3.json" -volume.max=100 -master.volumeSizeLimitMB=64
until_true 60 curl -sS -o /dev/null "http://127.0.0.1:$port/"
serve "http://127.0.0.1:$port" "$access" "$secret" "$@"

#!/usr/bin/env bash
# Runs a real MinIO for the storage tests, on a random local port: test/support/servers/minio.sh npm run test:storage
# Uses the binary in MINIO_BINARY, or minio on the PATH. See with-server.sh for the rest.
set -euo pipefail
source "$(dirname "$0")/with-server.sh"

minio=${MINIO_BINARY:-$(command -v minio || true)}
[[ -x $minio ]] || { echo "minio was not found. Put it on the PATH, or set MINIO_BINARY." >&2; exit 1; }

access=$(head -c 12 /dev/urandom | od -An -tx1 | tr -d ' \n')
secret=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
endpoint=http://127.0.0.1:$(free_port)
export MINIO_ROOT_USER=$access MINIO_ROOT_PASSWORD=$secret MINIO_BROWSER=off MINIO_UPDATE=off

mkdir "$folder/data"
run "$minio" server --quiet --address "${endpoint#http://}" "$folder/data"
until_true 30 curl -fsS "$endpoint/minio/health/ready"
serve "$endpoint" "$access" "$secret" "$@"

# Shared functions for the scripts in this folder; source it, do not run it.
#
#   test/support/servers/minio.sh npm run test:storage   runs the command against the server, then stops it
#   test/support/servers/minio.sh                        runs the server until Ctrl-C and prints how to reach it

folder=$(mktemp -d "${TMPDIR:-/tmp}/postroom-server-XXXXXX")
processes=()

# Kills without waiting for a clean shutdown: the data is deleted anyway.
stop() {
  local status=$?
  for pid in "${processes[@]}"; do kill -KILL "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true; done
  rm -rf "$folder"
  exit "$status"
}
trap stop EXIT
trap 'exit 130' INT TERM

# Starts a foreground program in the background, to be killed on exit.
run() {
  "$@" >>"$folder/output" 2>&1 &
  processes+=($!)
}

is_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

free_port() {
  local port
  while port=$((RANDOM % 20000 + 20000)); is_taken "$port"; do :; done
  echo "$port"
}

fail() {
  { echo "The server did not start. Its last output:"; tail -n 20 "$folder/output"; } >&2
  exit 1
}

quietly() { "$@" >>"$folder/output" 2>&1 || fail; }

# until_true <seconds> <command…>
until_true() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >>"$folder/output" 2>&1; do
    ((SECONDS < end)) || fail
    sleep 0.1
  done
}

# serve <endpoint> <access key> <secret key> [command…]
serve() {
  export STORAGE_TEST_ENDPOINT=$1 STORAGE_TEST_ACCESS_KEY=$2 STORAGE_TEST_SECRET_KEY=$3 STORAGE_TEST_REGION=us-east-1
  shift 3
  if (($#)); then "$@"; exit; fi
  echo "The server runs until Ctrl-C. In another shell:"
  for name in ENDPOINT ACCESS_KEY SECRET_KEY REGION; do
    local variable=STORAGE_TEST_$name
    echo "export $variable=${!variable}"
  done
  wait "${processes[0]}"
}

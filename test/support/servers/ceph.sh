#!/usr/bin/env bash
# Runs a minimal Ceph for the storage tests: one monitor, one OSD on a sparse file and one radosgw, on random local ports:
# test/support/servers/ceph.sh npm run test:storage. Needs root, but no systemd, containers or keys.
# Installs Debian's packages if they are missing (a 61 MB download). See with-server.sh for the rest.
set -euo pipefail
source "$(dirname "$0")/with-server.sh"

if ! command -v radosgw ceph-mon ceph-osd >/dev/null; then
  apt-get update -q && DEBIAN_FRONTEND=noninteractive \
    apt-get install -yq --no-install-recommends ceph-mon ceph-osd ceph-common radosgw
fi >&2

access=$(head -c 12 /dev/urandom | od -An -tx1 | tr -d ' \n')
secret=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
monitor=$(free_port)
gateway=$(free_port)
low=$(free_port)
new_id() { cat /proc/sys/kernel/random/uuid; }
id=$(new_id)
osd=$(new_id)
mkdir "$folder"/{mon,osd,log,run,rgw}
export CEPH_CONF=$folder/ceph.conf

# The monitor's address is v1 only: with v2, an old radosgw never gets past authentication.
# 5 TiB per PUT, like MinIO, so that a single URL can carry the largest allowed file.
cat >"$CEPH_CONF" <<CONF
[global]
fsid = $id
mon host = [v1:127.0.0.1:$monitor]
mon initial members = a
auth cluster required = none
auth service required = none
auth client required = none
ms bind ipv4 = true
ms bind ipv6 = false
ms bind port min = $low
ms bind port max = $((low + 100))
public network = 127.0.0.0/8
cluster network = 127.0.0.0/8
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 500
mon data avail warn = 2
mon data avail crit = 1
log file = $folder/log/\$name.log
admin socket = $folder/run/\$name.asok
run dir = $folder/run
[mon.a]
host = localhost
mon data = $folder/mon
[osd]
osd data = $folder/osd
osd objectstore = bluestore
osd memory target = 1073741824
osd crush initial weight = 1
bluestore block size = ${CEPH_TEST_BYTES:-4294967296}
bluestore block create = true
bluestore cache autotune = false
bluestore cache size = 67108864
[client.rgw.a]
rgw frontends = beast endpoint=127.0.0.1:$gateway
rgw data = $folder/rgw
rgw dns name = localhost
rgw enable usage log = false
rgw thread pool size = 32
rgw run sync thread = false
rgw max put size = 5497558138880
CONF

quietly monmaptool --create --fsid "$id" --addv a "[v1:127.0.0.1:$monitor]" "$folder/monmap"
quietly ceph-mon --mkfs -i a --monmap "$folder/monmap"
run ceph-mon -f -i a
until_true 60 timeout 10 ceph mon stat
quietly ceph osd new "$osd"
quietly ceph-osd -i 0 --mkfs --osd-uuid "$osd"
run ceph-osd -f -i 0
quietly ceph osd crush add osd.0 1.0 root=default host=localhost
until_true 60 bash -c "ceph osd stat | grep '1 up'"
run radosgw -f -n client.rgw.a
until_true 120 curl -fsS "http://127.0.0.1:$gateway/"
quietly radosgw-admin -n client.rgw.a user create \
  --uid=test --display-name=test --access-key="$access" --secret-key="$secret"
serve "http://127.0.0.1:$gateway" "$access" "$secret" "$@"

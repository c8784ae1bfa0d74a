#!/bin/sh
# Makes the nats-server in whose process namespace this runs reload its file where that has changed: permissions of users
# differ by version. Connections stay.
set -eu
digest() { grep -o 'sha256:[0-9a-f]*' | head -n 1; }
running() { wget -q -O - http://nats:8222/varz | digest; }

wanted=$(nats-server -t -c /etc/cardinal/nats.conf 2>&1 | digest)
[ "$(running)" != "$wanted" ] || exit 0
kill -HUP 1
for _ in 1 2 3 4 5 6 7 8 9 10; do
  [ "$(running)" != "$wanted" ] || exit 0
  sleep 1
done
echo 'nats-server did not take its file: docker compose logs nats; where the folder of this file was removed and' >&2
echo 'made anew instead of updated, it sees the former one: docker compose up -d --force-recreate nats' >&2
exit 1

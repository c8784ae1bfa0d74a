#!/bin/sh
# Lines between `rendered` and `end` follow from libs/contracts/src/services.ts: npx vitest run rendered -u writes them.
# Brings a running stack to the images that the compose file and .env name now, without a failed request: each service gets
# new instances beside the former ones, which go when the new ones are ready and the proxy sends them nothing more.
#
#   git pull && sh deploy/docker/env.sh && docker compose build && sh deploy/docker/upgrade.sh
#   CARDINAL_VERSION=<the former one> sh deploy/docker/upgrade.sh back
#
# `back` replaces the services alone, by images that are still there: schemas, the registers and what users of the broker
# may do stay as the newer version left them, and so does a service that the former version did not have. `docker compose` takes
# its options from its own variables (COMPOSE_PROJECT_NAME, COMPOSE_FILE, COMPOSE_ENV_FILES).
set -eu
# rendered: services
jobs='keys roles reload registers
  migrate-identifier migrate-card migrate-dependency migrate-attachment migrate-event migrate-access
  together-migrate-identifier together-migrate-card together-migrate-dependency together-migrate-attachment together-migrate-event together-migrate-access'
# Those that the proxy sends requests to come last.
inside='identifier card dependency event access'
behind='attachment gateway all'
# end of services
# How long transfers that are under way may take, s, once nothing new is sent to their instance.
patience=60

fail() { echo "$1" >&2; exit 1; }
# Sends a command to the proxy, and prints its answer.
proxy() { docker compose exec -T proxy sh -c "echo '$1' | socat stdio /tmp/admin.sock"; }
addresses() { docker inspect -f '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}' "$@"; }
# Names of the proxy's servers for containers, in the state $1 (2: they get requests), or in any.
servers() {
  state=$1 backend=$2
  shift 2
  proxy "show servers state $backend" | awk -v state="$state" -v mine=" $(addresses "$@" | tr '\n' ' ')" \
    '$5 ~ /^[0-9.]+$/ && index(mine, " " $5 " ") && (state == "any" || $6 == state) { print $4 }'
}

# Turns the proxy's health checks on ($1: `enable`) or off (`disable`), of the servers to which it sends requests.
checks() {
  [ -n "$running" ] || return 0
  proxy 'show stat' | awk -F, '$1 ~ /^(gateway|attachment)$/ && $2 ~ /[0-9]$/ && $18 ~ /^(UP|no check)/ { print $1 "/" $2 }' |
    while read -r server; do proxy "$1 health $server" >/dev/null </dev/null; done
}

# Whether every container is healthy; ends the script where one will never be.
healthy() {
  states=$(docker inspect -f '{{.State.Status}}-{{.State.Health.Status}}' "$@" | sort -u)
  case "$states" in *unhealthy* | *exited* | *dead*) return 2 ;; esac
  [ "$states" = running-healthy ]
}

# Whether the former image of a service is here. Compose would build one from this checkout.
can_go_back() {
  name=$(docker inspect -f '{{.Config.Image}}' "$(docker compose ps -q "$1" | head -n 1)")
  image=$(docker compose config --images | grep "^${name%:*}:" | head -n 1)
  docker image inspect "$image" >/dev/null 2>&1 && return
  echo "$1 goes on as it is: there is no image $image to go back to"
  return 1
}
is_behind() { case " $behind " in *" $1 "*) ;; *) return 1 ;; esac; }
# The names that COMPOSE_PROFILES includes.
among() { for one in "$@"; do ! echo "$defined" | grep -qx "$one" || echo "$one"; done; }
# The proxy's backends of a service.
backends() { if [ "$1" = all ]; then echo gateway attachment; else echo "$1"; fi; }

# Replaces the instances of a service; makes one where there is none, as of a service that the former version did not have.
replace() {
  service=$1
  former=$(docker compose ps -q "$service")
  if [ -z "$former" ]; then
    # With what it depends on, though that is done: Compose 2.26 takes what was started without for changed at the next `up`.
    [ "$way" = back ] || docker compose up -d --wait --no-recreate "$service"
    return
  fi
  if [ "$way" = back ]; then can_go_back "$service" || return 0; fi
  count=$(echo "$former" | wc -l)
  docker compose create --no-recreate --scale "$service=$((count * 2))" "$service"
  new=$(docker compose ps -aq "$service" | grep -v -F "$former")
  docker start $new >/dev/null
  until healthy $new; do
    if [ $? = 2 ]; then
      docker logs --tail 5 $new || true
      docker rm -f $new >/dev/null
      fail "the new $service does not get ready; the former one goes on"
    fi
    sleep 1
  done
  drained=''
  if [ -n "$running" ] && is_behind "$service"; then
    for backend in $(backends "$service"); do
      tries=0
      until [ "$(servers 2 "$backend" $new | wc -l)" -ge "$count" ]; do
        tries=$((tries + 1))
        [ $tries -lt $patience ] || fail "the proxy does not find the new $service: docker compose logs proxy"
        sleep 1
      done
      for server in $(servers any "$backend" $former); do drained="$drained $backend/$server"; done
    done
    for server in $drained; do proxy "set server $server state drain" >/dev/null; done
    tries=0
    until [ $tries -ge $patience ] || idle "$drained"; do tries=$((tries + 1)); sleep 1; done
  fi
  docker stop $former >/dev/null
  docker rm $former >/dev/null
  # The next instance at this place of the proxy's is none of these.
  for server in $drained; do proxy "set server $server state ready" >/dev/null; done
}
# Whether the proxy's servers, with their backends, have no request in hand. It is asked a second after they got the last.
idle() {
  sleep 1
  proxy 'show stat' | awk -F, -v mine=" $1 " 'index(mine, " " $1 "/" $2 " ") { busy += $5 } END { exit busy > 0 }'
}

# A process of the proxy from before it read its file again keeps connections until they are used once more, 75 s at most, and
# looks for no new instances.
alone() { [ "$(docker top "$running" -eo pid,comm | grep -c haproxy)" -le 2 ]; }

way=${1-}
running=$(docker compose ps -q proxy)
defined=$(docker compose config --services)
services=$(among $inside $behind)
if [ "$way" = back ]; then
  can_go_back "$(echo "$services" | tail -n 1)" || fail 'nothing was replaced: CARDINAL_VERSION has to name a version whose images are here'
else
  # The running services work with what these bring.
  needed=$(among $jobs)
  # Where NATS starts again, no gateway is ready, and the proxy would take out all. Requests wait instead.
  checks disable
  trap 'checks enable' EXIT
  trap 'exit 1' HUP INT TERM
  docker compose up -d $needed
  for code in $(docker wait $(docker compose ps -aq $needed)); do
    [ "$code" = 0 ] || fail "a job failed; nothing was replaced: docker compose logs $(echo $needed)"
  done
  checks enable
  trap - EXIT HUP INT TERM
fi
tries=0
until [ -z "$running" ] || [ $tries -ge 90 ] || alone; do tries=$((tries + 1)); sleep 1; done
for service in $services; do replace $service; done
# What else is new in this version. Postgres and the proxy go on as they are, also where the file says something else of them
# now: to replace one of them breaks connections. NATS does too, unless the jobs needed a user that it did not have (README).
if [ "$way" != back ]; then
  docker compose up -d --wait --no-recreate
  # The proxy reads its file again, last: the process that leaves off knows the instances that there are from now on.
  [ -z "$running" ] || docker kill -s HUP "$running" >/dev/null
fi

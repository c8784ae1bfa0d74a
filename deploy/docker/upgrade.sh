#!/bin/sh
# Brings a running stack to the images that the compose file and .env name now: card, identifier and dependency one after
# the other, the new one beside the former one until it is ready; then what publishes a port, attachment and gateway, which are
# away while their containers are replaced. Compose also makes NATS anew with its job, so a moment passes without it.
#
#   git pull && sh deploy/docker/env.sh && docker compose build && sh deploy/docker/upgrade.sh
#
# Options go to `docker compose`: sh deploy/docker/upgrade.sh --project-name another
set -eu
jobs='keys roles streams migrate-card migrate-identifier migrate-dependency migrate-attachment'

# Servers, roles, the stream and the schemas first: the services that still run are content with them.
docker compose "$@" up -d $jobs
for code in $(docker wait $(docker compose "$@" ps -aq $jobs)); do
  if [ "$code" != 0 ]; then echo "a job failed; nothing was replaced: docker compose logs $jobs" >&2; exit 1; fi
done
for service in identifier card dependency; do
  former=$(docker compose "$@" ps -q "$service")
  count=$(echo "$former" | wc -l)
  docker compose "$@" up -d --wait --no-recreate --scale "$service=$((count * 2))" "$service"
  docker stop $former >/dev/null
  docker rm $former >/dev/null
done
docker compose "$@" up -d --wait

#!/bin/sh
# Writes .env at the top of the checkout: a secret for each use, the addresses of this machine, and that each service is a
# process of its own.
#
#   sh deploy/docker/env.sh              for clients on this machine only
#   sh deploy/docker/env.sh 192.0.2.10   for others too, which know this machine by that address or name
#
# It keeps lines that are there (of another file where ENV_FILE names one); run it again after an update, which may need a further secret.
set -eu
umask 077
cd "$(dirname "$0")/../.."
file=${ENV_FILE:-.env}
touch "$file"

# The first letter keeps programs from reading it as a number.
secret() { printf 's%s' "$(od -An -N 24 -tx1 /dev/urandom | tr -d ' \n')"; }
say() { grep -q "^$1=" "$file" || printf '%s=%s\n' "$1" "$2" >> "$file"; }

if [ $# -gt 0 ]; then
  kept=$(grep -v -e '^CARDINAL_LISTEN=' -e '^PUBLIC_URL=' "$file" || true)
  printf '%s\n' "$kept" | sed '/^$/d' > "$file"
  say CARDINAL_LISTEN 0.0.0.0
fi
# Each service as a process of its own by default; in 1.1.0 the line had other profiles alone.
profiles=$(sed -n 's/^COMPOSE_PROFILES=//p' "$file")
case ",$profiles," in
  *,apart,* | *,together,*) ;;
  *)
    kept=$(grep -v '^COMPOSE_PROFILES=' "$file" || true)
    printf '%s\n' "$kept" | sed '/^$/d' > "$file"
    say COMPOSE_PROFILES "apart${profiles:+,$profiles}"
    ;;
esac
say CARDINAL_LISTEN 127.0.0.1
say CARDINAL_PORT 8080
say CARDINAL_FILES_PORT 8081
say PUBLIC_URL "http://${1:-127.0.0.1}:$(sed -n 's/^CARDINAL_FILES_PORT=//p' "$file")"
# Secrets that the compose file requires and the file lacks.
for name in $(grep -o '[A-Z_]*:\{0,1\}?run sh' docker-compose.yml | sed 's/:\{0,1\}?.*//' | sort -u); do
  say "$name" "$(secret)"
done
echo "$file is complete ($(sed -n 's/^PUBLIC_URL=//p' "$file") for files)"

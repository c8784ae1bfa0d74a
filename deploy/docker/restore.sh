#!/bin/sh
# Restores a backup of backup.sh into an empty stack, and sets every counter on before any service starts.
#
#   sh deploy/docker/restore.sh                                      the newest in ~/cardinal-backups
#   sh deploy/docker/restore.sh ~/cardinal-backups/cardinal-2026…    that one; or the newest of a folder
#
# Where .env here has other secrets than the backup, it says which and does nothing; --replace-secrets takes those of the
# backup. Settings that .env here has, such as ports, stay. Where something fails, everything is as it was before.
set -eu
umask 077

fail() { echo "$1" >&2; exit 1; }
usage='usage: sh deploy/docker/restore.sh [--replace-secrets] [BACKUP]'
replace='' from=''
for word in "$@"; do
  case $word in
    --replace-secrets) replace=yes ;;
    -*) fail "$word is not known. $usage" ;;
    *)
      [ -z "$from" ] || fail "one backup, not also $word. $usage"
      from=$word
      ;;
  esac
done
from=${from:-${HOME:?names no folder}/cardinal-backups}
case $from in /*) ;; *) from=$PWD/$from ;; esac
cd "$(dirname "$0")/../.."
[ -f docker-compose.yml ] || fail "$PWD is no checkout of Cardinal"

[ -d "$from" ] || fail "$from is no folder"
is_ours() { [ -f "$1/manifest" ] && head -n 1 "$1/manifest" | grep -q '^cardinal-backup [0-9]* compose$'; }
value() { sed -n "s/^$1 //p" "$from/manifest"; }
if [ ! -e "$from/manifest" ]; then
  found=$(for one in "$from"/*-????????T??????Z; do if is_ours "$one"; then echo "${one##*-} $(sed -n 's/^stack //p' "$one/manifest") $one"; fi; done)
  [ -n "$found" ] || fail "$from has no manifest and no backups of a stack of Compose: one that was cut off has none"
  [ "$(echo "$found" | cut -d ' ' -f 2 | sort -u | wc -l)" = 1 ] ||
    fail "$from has backups of several stacks, so name one:
$(echo "$found" | cut -d ' ' -f 3-)"
  from=$(echo "$found" | sort | tail -n 1 | cut -d ' ' -f 3-)
fi
from=$(cd "$from" && pwd)
is_ours "$from" || fail "$from is no backup of a stack of Compose ($(head -n 1 "$from/manifest" 2>/dev/null || echo 'its manifest cannot be read'))"
[ "$(head -n 1 "$from/manifest")" = 'cardinal-backup 1 compose' ] || fail "$from is of a later form than this version knows"
[ "$(tail -n 1 "$from/manifest")" = complete ] || fail "$from/manifest has no end: this backup is not whole"

sum() { if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1; }
size() { wc -c < "$1" | tr -d ' '; }
echo "restoring $from, made $(value made) of the stack $(value stack)"
echo 'checking its files'
grep '^file ' "$from/manifest" | while read -r _ bytes checksum name; do
  [ -r "$from/$name" ] || fail "$name is missing or cannot be read: this backup is not whole"
  [ "$(size "$from/$name")" = "$bytes" ] || fail "$name has $(size "$from/$name") bytes and not $bytes: this backup is not whole"
  [ "$(sum "$from/$name")" = "$checksum" ] || fail "$name is not what was written: its checksum is another one"
done
for name in databases.dump files.tar cardinal.tar env; do
  grep -q "^file .* $name\$" "$from/manifest" || fail "the manifest names no $name: this backup is not whole"
done
here=$(sed -n 's|.*image: .*/gateway:${CARDINAL_VERSION:-\(.*\)}|\1|p' docker-compose.yml)
printf '%s\n%s\n' "$(value version)" "$here" | sort -t . -k 1,1n -k 2,2n -k 3,3n -c 2>/dev/null ||
  fail "the backup is of version $(value version), this is $here: check out that version, or a later one"

# Secrets of the backup, settings of here.
draft=.env.restoring
is_secret='(PASSWORD|SECRET|KEY)'
names() { sed -n 's/^\([A-Za-z_][A-Za-z_0-9]*\)=.*/\1/p' "$1" | sort -u; }
line() { grep "^$2=" "$1" | tail -n 1; }
touch .env.restoring
trap 'rm -f .env.restoring' EXIT
trap 'exit 130' HUP INT TERM
differing=''
if [ -s .env ]; then
  for name in $(names .env | grep -E "$is_secret"); do
    kept=$(line "$from/env" "$name" || true)
    [ -z "$kept" ] || [ "$kept" = "$(line .env "$name")" ] || differing="$differing $name"
  done
  [ -z "$differing" ] || [ -n "$replace" ] || fail ".env here has other secrets than the backup:$differing
With these, what was encrypted or signed with the backup's is lost. sh deploy/docker/restore.sh --replace-secrets takes those of
the backup, and keeps .env as .env.before-restore; nothing was changed"
fi
cp "$from/env" "$draft"
if [ -s .env ]; then
  for name in $(names .env); do
    if echo "$name" | grep -qE "$is_secret" && [ -n "$(line "$from/env" "$name" || true)" ]; then continue; fi
    grep -v "^$name=" "$draft" > "$draft.next" || true
    line .env "$name" >> "$draft.next"
    mv "$draft.next" "$draft"
  done
fi
# A backup of 1.1.0 names no way in which services run, and lacks the secrets of later ones.
ENV_FILE=$draft sh deploy/docker/env.sh >/dev/null
# Prints errors and the script's own lines; Compose would print two hundred lines more.
compose() { docker compose --progress quiet --env-file "$draft" "$@"; }
project=$(compose config | sed -n 's/^name: //p')
[ -n "$project" ] || fail 'docker compose cannot read its configuration; nothing was changed'

# Only into an empty stack. The broker's volume may be there: its register of numbers is useful.
[ -z "$(compose ps -q)" ] || fail "the stack $project runs: a restore goes into an empty one; nothing was changed"
volumes() { docker volume ls -q --filter "label=com.docker.compose.project=$project"; }
before=$(volumes)
for volume in postgres files cardinal; do
  ! echo "$before" | grep -qx "${project}_$volume" || fail "the stack $project is not empty: it has the volume ${project}_$volume. \
What is in it would be lost, so take it away yourself where nobody needs it (docker compose --profile '*' down -v); nothing was changed"
done
[ -z "$(compose ps -aq)" ] || fail "the stack $project has containers: docker compose --profile '*' down; nothing was changed"

was=''
undo() {
  echo 'not restored: taking away what was made' >&2
  compose --profile '*' down --timeout 5 >/dev/null 2>&1 || true
  for volume in $(volumes); do
    echo "$before" | grep -qx "$volume" || docker volume rm "$volume" >/dev/null || true
  done
  case $was in '') ;; none) rm -f .env ;; *) mv "$was" .env ;; esac
  rm -f "$draft"
  echo 'everything is as it was before' >&2
}
trap undo EXIT

echo 'an empty stack; builds the images where there are none'
# Makes the volumes with the owners that their containers need.
compose create
compose up -d --wait postgres
need=$(($(value database-bytes) + $(size "$from/files.tar")))
free=$(($(compose exec -T postgres df -Pk /var/lib/postgresql | awk 'NR == 2 { print $4 }') * 1024))
[ "$free" -gt "$need" ] || fail "the engine's disk has $((free / 1048576)) MiB free, and this takes $((need / 1048576))"
compose run --rm -T roles
for volume in cardinal files; do
  echo "volume $volume ($(($(size "$from/$volume.tar") / 1048576)) MiB)"
  compose run --rm -T --no-deps archive --extract --file - < "$from/$volume.tar"
done
if [ ! -f .env ]; then
  was=none
  cp "$draft" .env
elif [ "$(sort .env)" != "$(sort "$draft")" ]; then
  kept=.env.before-restore
  # The file of an earlier restore may be the only copy of its secrets.
  [ ! -e "$kept" ] || kept=$kept-$(date -u +%Y%m%dT%H%M%SZ)
  cp -p .env "$kept"
  was=$kept
  echo ".env as it was is kept as $was"
  cp "$draft" .env
fi
if [ -f "$from/docker-compose.override.yml" ] && [ ! -f docker-compose.override.yml ]; then
  echo "the backup has a docker-compose.override.yml: look at it, and copy it to $PWD where it fits this machine"
fi

# Whole or not at all. The dump comes last: a stack that has one has everything else.
echo "databases ($(($(size "$from/databases.dump") / 1048576)) MiB)"
compose exec -T postgres pg_restore -U postgres -d cardinal --clean --if-exists --single-transaction --exit-on-error \
  < "$from/databases.dump"
migrations=$(compose config --services | grep 'migrate-')
for job in $migrations; do compose run --rm -T --no-deps "$job"; done

# Nobody here knows which numbers were given out after the backup, nor which ones earlier restores gave out: of this backup
# behind the same state, of another one of the stack behind a later state, or behind the margin of more days. So each backup
# counts by how many days' numbers its next restore has to go on further behind.
day() { echo "$1" | awk -F '[-T]' '{ y = $1 - ($2 < 3); print 365 * y + int(y / 4) - int(y / 100) + int(y / 400) + int((153 * (($2 + 9) % 12) + 2) / 5) + $3 }'; }
counted() { cat "$1/restored" 2>/dev/null || echo 0; }
count() {
  [ "$2" -gt "$(counted "$1")" ] || return 0
  echo "$2" > "$1/restored" ||
    echo "$1/restored cannot be written: where that backup is restored, run doctor --advance --restored-before $2 before its start" >&2
}
earlier=$(counted "$from")
age=$(($(day "$(date -u +%Y-%m-%d)") - $(day "$(value made)") + 1))
[ "$age" -ge 1 ] || age=1
for one in "${from%/*}"/*-????????T??????Z; do
  if [ "$one" != "$from" ] && is_ours "$one" && grep -qx "stack $(value stack)" "$one/manifest"; then count "$one" $((earlier + age + 2)); fi
done
count "$from" $((earlier + 1))
if [ "$earlier" -gt 0 ]; then set -- --restored-before "$earlier"; else set --; fi
compose run --rm -T doctor --advance "$@"

trap 'rm -f "$draft"' EXIT
compose --profile '*' down
sh deploy/docker/env.sh
echo "restored. It starts with: docker compose up -d --wait"

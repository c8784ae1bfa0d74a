#!/bin/sh
# Backs up everything of a running stack that a restore needs: the databases, the bytes of files, the key of demo
# tokens, and .env with its secrets.
#
#   sh deploy/docker/backup.sh                            a new folder in ~/cardinal-backups
#   sh deploy/docker/backup.sh --keep 14 /mnt/backups     elsewhere; removes this stack's older backups but 14
#
# The folder gets its name, <project>-<time>, once all of it is there; restore.sh puts it back.
set -eu
umask 077

fail() { echo "$1" >&2; exit 1; }
usage='usage: sh deploy/docker/backup.sh [--keep N] [FOLDER]'
keep='' into=''
while [ $# -gt 0 ]; do
  case $1 in
    --keep)
      keep=${2-}
      case $keep in '' | *[!0-9]* | 0*) fail "--keep takes how many backups there shall be, 1 or more. $usage" ;; esac
      shift 2
      ;;
    -*) fail "$1 is not known. $usage" ;;
    *)
      [ -z "$into" ] || fail "one folder, not also $1. $usage"
      into=$1
      shift
      ;;
  esac
done
into=${into:-${HOME:?names no folder}/cardinal-backups}
case $into in /*) ;; *) into=$PWD/$into ;; esac
cd "$(dirname "$0")/../.."

[ -f .env ] || fail "$PWD/.env is not there: this is no checkout that a stack runs from"
[ -z "${COMPOSE_ENV_FILES-}" ] || fail 'COMPOSE_ENV_FILES is set: secrets are backed up from .env alone'
if ! project=$(docker compose config 2>/dev/null | sed -n 's/^name: //p') || [ -z "$project" ]; then
  docker compose config --quiet
  fail 'docker compose cannot read its configuration'
fi
[ -n "$(docker compose ps -q --status running postgres)" ] ||
  fail "Postgres of $project does not run, and a backup asks it: docker compose up -d --wait postgres"
mkdir -p "$into" || fail "$into cannot be made"
[ -w "$into" ] || fail "$into is not ours to write to"

name=$project-$(date -u +%Y%m%dT%H%M%SZ)
draft=$into/.unfinished-$name-$$
for left in "$into/.unfinished-$project"-*; do
  if [ -d "$left" ]; then echo "$left is of a backup that was cut off, or is being made: remove it where none is" >&2; fi
done
[ ! -e "$into/$name" ] || fail "$into/$name is there already"
mkdir -m 700 "$draft"
reporter=''
quiet() { [ -z "$reporter" ] || { kill "$reporter" && wait "$reporter"; } 2>/dev/null || true; reporter=''; }
leave() { quiet; rm -rf "$draft"; }
trap leave EXIT
trap 'exit 130' HUP INT TERM

sum() { if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1; }
size() { wc -c < "$1" | tr -d ' '; }
# Prints the step, and its progress every five seconds.
begin() {
  quiet
  echo "$2"
  # The last pause does not keep the reader of the output waiting.
  (while sleep 5 >/dev/null 2>&1; do echo "  $(($(size "$draft/$1") / 1048576)) MiB"; done) &
  reporter=$!
}
ask() { docker compose exec -T postgres psql -U postgres -d cardinal -tAc "$1"; }

database_bytes=$(ask 'select pg_database_size(current_database())') || fail 'Postgres does not answer; nothing was backed up'
postgres=$(ask 'show server_version')

# The databases first: bytes of a file that came after the dump are harmless. In the other order a file could lack its bytes.
: > "$draft/databases.dump"
begin databases.dump "databases ($((database_bytes / 1048576)) MiB in Postgres)"
docker compose exec -T postgres pg_dump -U postgres -Fc cardinal > "$draft/databases.dump" ||
  fail 'the databases could not be dumped; nothing was backed up'
# In `cardinal`: the key of demo tokens, and the ids of the demo workspace. tar exits with 1 where a file changed or vanished
# while it was read: complete files do not change, and deleted ones are not missed.
for volume in cardinal files; do
  : > "$draft/$volume.tar"
  begin "$volume.tar" "volume $volume"
  docker compose run --rm -T --no-deps archive --create --totals --file - "$volume" > "$draft/$volume.tar" 2> "$draft/.said" ||
    [ $? = 1 ] || { cat "$draft/.said" >&2; fail "the volume $volume could not be read; nothing was backed up"; }
  # tar does not always report a full disk.
  [ "$(sed -n 's/^Total bytes written: \([0-9]*\).*/\1/p' "$draft/.said")" = "$(size "$draft/$volume.tar")" ] ||
    { cat "$draft/.said" >&2; fail "$volume.tar is not whole; nothing was backed up"; }
done
quiet
rm "$draft/.said"
! grep -q '^STORAGE_URL=s3:' .env || echo 'files are in a bucket (STORAGE_URL), which is not part of this backup'
cp .env "$draft/env"
# Settings of this machine, where there are any.
[ ! -f docker-compose.override.yml ] || cp docker-compose.override.yml "$draft/docker-compose.override.yml"

echo 'checking what was written'
docker compose exec -T postgres pg_restore -f /dev/null < "$draft/databases.dump" ||
  fail 'the dump is not whole; nothing was backed up'
{
  echo 'cardinal-backup 1 compose'
  echo "stack $project"
  # The version of the files here, which the images have too unless CARDINAL_VERSION says otherwise.
  echo "version $(sed -n 's|.*image: .*/gateway:${CARDINAL_VERSION:-\(.*\)}|\1|p' docker-compose.yml)"
  echo "made $(date -u +%Y-%m-%dT%H:%M:%SZ)"
  echo "postgres $postgres"
  echo "database-bytes $database_bytes"
  for file in "$draft"/*; do echo "file $(size "$file") $(sum "$file") ${file##*/}"; done
  echo complete
} > "$draft/.manifest"
mv "$draft/.manifest" "$draft/manifest"
chmod 600 "$draft"/*
sync
mv "$draft" "$into/$name"
trap - EXIT
echo "$into/$name: $(du -sh "$into/$name" | cut -f 1)"

# Of this stack, whole, and made by this script; names sort by time.
[ -n "$keep" ] || exit 0
mine=$(for one in "$into/$project"-????????T??????Z; do
  [ -f "$one/manifest" ] && [ "$(head -n 2 "$one/manifest")" = "cardinal-backup 1 compose
stack $project" ] && echo "${one##*/}"
done || true)
echo "$mine" | sort -r | tail -n "+$((keep + 1))" | while read -r one; do
  [ -n "$one" ] || continue
  # Without it, what is left of one is none.
  rm -f "$into/$one/manifest"
  rm -rf "${into:?}/$one"
  echo "removed $one"
done

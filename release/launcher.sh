#!/bin/sh
# Logboom in one file: this script, and behind it an archive with all that it needs. The archive is unpacked once, into
# a private folder of the user, and found there by its checksum at every later start.
set -eu
checksum=CHECKSUM
archive_from=ARCHIVE_FROM
fail() {
  echo "logboom: $1" >&2
  exit 1
}
if [ -n "${LOGBOOM_CACHE:-}" ]; then cache=$LOGBOOM_CACHE
elif [ -n "${XDG_CACHE_HOME:-}" ]; then cache=$XDG_CACHE_HOME/logboom
elif [ -n "${HOME:-}" ] && [ -w "${HOME:-}" ]; then cache=$HOME/.cache/logboom
else cache=/var/tmp/logboom-$(id -u)
fi
folder=$cache/$checksum
if [ ! -d "$folder" ]; then
  umask 077
  mkdir -p "$cache" || fail "$cache cannot be made; name another folder in LOGBOOM_CACHE"
fi
# Anybody who could write there could make the program do anything.
[ -O "$cache" ] && [ ! -L "$cache" ] || fail "$cache belongs to somebody else; name another folder in LOGBOOM_CACHE"
case $(stat -c %A "$cache") in
  ?????w* | ????????w*) fail "$cache can be written by others; chmod 0700 $cache" ;;
esac
if [ ! -d "$folder" ]; then
  echo "logboom: unpacking into $folder (once)" >&2
  found=$(tail -c +$archive_from "$0" | sha256sum)
  [ "${found%% *}" = $checksum ] || fail "$0 is damaged: its archive does not have the checksum $checksum"
  new=$(mktemp -d "$cache/.new-XXXXXX")
  trap 'rm -rf "$new"' EXIT
  tail -c +$archive_from "$0" | tar -xzf - -C "$new" || fail "the archive cannot be unpacked into $cache"
  # Another start may have been faster; its result is the same.
  mv -T "$new" "$folder" 2>/dev/null || [ -d "$folder" ] || fail "$folder cannot be made"
  rm -rf "$new"
  trap - EXIT
fi
exec "$folder/bin/logboom" "$@"
exit 1

#!/bin/sh
# Copies what Node and tini need of this Debian into the folder $1: the two programs, the libraries that they load, the
# user, and for scanners of images which packages these files are from.
set -eu
root=$1
mkdir -p "$root/etc" "$root/usr/bin" "$root/usr/local/bin" "$root/tmp" "$root/var/lib/dpkg/status.d" /empty
chmod 1777 "$root/tmp"
cp "$(command -v tini)" "$root/usr/bin/tini"
cp "$(command -v node)" "$root/usr/local/bin/node"
for library in $(ldd "$(command -v node)" "$(command -v tini)" | grep -o '/[^ ):]*\.so[^ ):]*' | sort -u); do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
# Looked up by name at run time: users, hosts.
for library in libnss_files.so.2 libnss_dns.so.2 libresolv.so.2; do
  found=$(ldconfig -p | grep -o "/[^ ]*/$library\$" | head -1)
  [ -z "$found" ] || cp -L "$found" "$root$(dirname "$found")/"
done
echo 'hosts: files dns' > "$root/etc/nsswitch.conf"
echo 'cardinal:x:65532:65532::/tmp:/usr/sbin/nologin' > "$root/etc/passwd"
echo 'cardinal:x:65532:' > "$root/etc/group"
cp /etc/os-release "$root/etc/os-release"
for package in libc6 libstdc++6 libgcc-s1 libatomic1 tini; do
  if dpkg -s "$package" > "$root/var/lib/dpkg/status.d/$package" 2>/dev/null; then :; else rm "$root/var/lib/dpkg/status.d/$package"; fi
done

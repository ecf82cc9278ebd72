#!/bin/sh
# Installs a Debian package without starting or enabling the services that it and its dependencies bring. Needs root.
set -eu

policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 1' HUP INT TERM
  # What dpkg asks before it starts a service; 101 forbids it.
  printf '#!/bin/sh\nexit 101\n' > "$policy"
  chmod +x "$policy"
fi

enabled_units() {
  find /etc/systemd/system -path '*.wants/*' -type l 2> /dev/null | sed 's|.*/||' | sort -u
}

before=$(enabled_units)
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq "$1"
for unit in $(enabled_units); do
  case "$before" in
    *"$unit"*) ;;
    *) systemctl disable --quiet "$unit" 2> /dev/null || deb-systemd-helper disable "$unit" ;;
  esac
done

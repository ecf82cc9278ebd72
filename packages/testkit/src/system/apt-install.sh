#!/bin/sh
# Installs Debian packages without starting or enabling its services or the services of its dependencies. Needs root.
set -eu

policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 1' HUP INT TERM
  # dpkg runs this script before it starts a service. The exit code 101 forbids the start.
  printf '#!/bin/sh\nexit 101\n' > "$policy"
  chmod +x "$policy"
fi

enabled_units() {
  find /etc/systemd/system -path '*.wants/*' -type l 2> /dev/null | sed 's|.*/||' | sort -u
}

before=$(enabled_units)
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq "$@"
for unit in $(enabled_units); do
  case "$before" in
    *"$unit"*) ;;
    *) systemctl disable --quiet "$unit" 2> /dev/null || deb-systemd-helper disable "$unit" ;;
  esac
done

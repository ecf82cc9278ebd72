import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { ROOT } from '@pulse-card/testkit/root';

/**
 * Installs the file as its first line describes and starts nginx with Debian's own configuration. The mounts and ports
 * are private to this command: `/etc` is an overlay, and `/var/cache` is empty, as it is after `apt-get install nginx`.
 */
const INSTALL = `
set -eu
work=$(mktemp -d); mount -t tmpfs tmpfs "$work"; mkdir "$work/upper" "$work/work"
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$work/upper,workdir=$work/work" /etc
for folder in /var/cache /var/log/nginx /run; do mount -t tmpfs tmpfs "$folder"; done
certificates=/etc/letsencrypt/live/pulse.example.com; mkdir -p "$certificates"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=pulse.example.com \
  -addext subjectAltName=DNS:pulse.example.com -keyout "$certificates/privkey.pem" -out "$certificates/fullchain.pem" 2>&-
cp deploy/nginx/pulse-card.conf /etc/nginx/conf.d/
"$NODE" -e 'const { createServer } = require("node:http");
  require("node:os").networkInterfaces().lo || process.exit(3);
  createServer((request, response) => response.end("the BFF got " + request.url)).listen(4020, "127.0.0.1")' & bff=$!
trap 'kill $bff; [ ! -e /run/nginx.pid ] || kill "$(cat /run/nginx.pid)"' EXIT
nginx -t; nginx
for attempt in $(seq 100); do
  answer=$(curl --silent --fail --cacert "$certificates/fullchain.pem" --resolve pulse.example.com:443:127.0.0.1 \
    https://pulse.example.com/healthz) && break || sleep 0.1
done
echo "$answer"; ls -d /var/cache/*
`;

describe('deploy/nginx/pulse-card.conf', () => {
  it('works on Debian without changes and creates its cache', { timeout: 120_000 }, () => {
    const command = ['unshare', '--mount', '--net', 'sh', '-c', `ip link set lo up; ${INSTALL}`];
    const [program = '', ...args] =
      process.getuid?.() === 0 ? command : ['sudo', '-n', `NODE=${process.execPath}`, ...command];
    const env = { ...process.env, NODE: process.execPath };
    const output = execFileSync(program, args, { cwd: ROOT, env, encoding: 'utf8' });
    assert.equal(output, 'the BFF got /healthz\n/var/cache/pulse-card\n');
  });
});

import { spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChildServer, startChild } from '../process/child-server.ts';

const NGINX = process.env['PULSE_NGINX'] ?? 'nginx';

/** The version of the installed nginx. */
export function nginxVersion(): string | undefined {
  return /nginx\/(\S+)/.exec(spawnSync(NGINX, ['-v'], { encoding: 'utf8' }).stderr)?.[1];
}

/** Where nginx listens, what it caches, and on which core. */
export interface NginxOptions {
  readonly port: number;
  readonly originUrl: string;
  readonly core: number;
}

/** Starts nginx with one worker and a cache as a careful operator sets it up. */
export async function startNginx({ port, originUrl, core }: NginxOptions): Promise<ChildServer> {
  const folder = await mkdtemp(join(tmpdir(), 'pulse-nginx-'));
  const file = join(folder, 'nginx.conf');
  await writeFile(file, configuration(folder, port, originUrl));
  return startChild({ title: 'nginx', command: NGINX, args: ['-p', folder, '-c', file, '-e', 'stderr'], core });
}

function configuration(folder: string, port: number, originUrl: string): string {
  return `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr error;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  open_file_cache max=1000 inactive=60s;
  keepalive_requests 10000000;
  client_body_temp_path ${folder}/body;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  proxy_temp_path ${folder}/temp;
  proxy_cache_path ${folder}/cache keys_zone=pulses:10m use_temp_path=off;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${originUrl};
      proxy_cache pulses;
      proxy_cache_key $uri$http_accept_encoding;
      proxy_ignore_headers Cache-Control Expires Vary;
      proxy_cache_valid 200 15s;
      proxy_cache_use_stale error timeout updating http_500 http_502 http_503 http_504;
      proxy_cache_background_update on;
      proxy_cache_lock on;
      add_header X-Cache $upstream_cache_status;
    }
  }
}
`;
}

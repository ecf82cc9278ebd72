import { startChild } from '../child-process.ts';
import { freePorts } from '../free-port.ts';
import { deployed, type Front, frontFolder } from './front.ts';
import { nginxAround } from './nginx-around.ts';

type Replacement = readonly [old: string, replacement: string];

/** Starts nginx with `deploy/nginx/pulse-card.conf` in front of the BFF at `bffUrl`, on `port` or a free port. */
export async function startNginxFront(bffUrl: string, port?: number): Promise<Front> {
  const [redirectPort, freePort] = await freePorts(2);
  return startNginx('nginx/pulse-card.conf', port ?? Number(freePort), (folder) => [
    ['server 127.0.0.1:4020', `server ${new URL(bffUrl).host}`],
    ['/var/cache/pulse-card', `${folder}/cache`],
    ['listen [::]:80;', ''],
    ['listen 80;', `listen 127.0.0.1:${redirectPort};`],
  ]);
}

/**
 * Starts nginx with `deploy/nginx/pulse-card-cdn.conf` in front of two BFFs. The CDN can use any loopback IP address
 * that begins with 127.1.
 */
export async function startNginxBehindCdn([first, second]: readonly [string, string]): Promise<Front> {
  const [port] = await freePorts(1);
  return startNginx('nginx/pulse-card-cdn.conf', Number(port), () => [
    ['server 10.0.0.11:4020', `server ${new URL(first).host}`],
    ['server 10.0.0.12:4020', `server ${new URL(second).host}`],
    ['set_real_ip_from 203.0.113.0/24', 'set_real_ip_from 127.1.0.0/16'],
  ]);
}

/** Uses plain HTTP on loopback, because the tests cover only the cache and the chain of proxies. */
async function startNginx(
  file: string,
  port: number,
  replacements: (folder: string) => readonly Replacement[],
): Promise<Front> {
  const folder = frontFolder('nginx');
  const server = deployed(file, [
    ...replacements(folder.path),
    ['listen [::]:443 ssl http2;', ''],
    ['listen 443 ssl http2;', `listen 127.0.0.1:${port};`],
    ['ssl_certificate ', '# '],
    ['ssl_certificate_key ', '# '],
  ]);
  const configuration = folder.write('nginx.conf', nginxAround(server, folder.path));
  const url = `http://127.0.0.1:${port}`;
  const child = await startChild({
    readyUrl: `${url}/healthz`,
    title: 'nginx',
    command: process.env['PULSE_NGINX'] ?? 'nginx',
    args: ['-p', folder.path, '-c', configuration, '-e', 'stderr'],
  });
  return {
    name: 'nginx',
    url,
    pid: child.pid,
    stop: async () => {
      await child.stop();
      folder.remove();
    },
  };
}

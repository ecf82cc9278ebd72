import { startChild } from '../../bench/process/child-server.ts';
import { freePorts } from '../../bench/process/free-ports.ts';
import { deployed, type Front, frontFolder, untilAnswering } from './front.ts';
import { nginxAround } from './nginx-around.ts';

const PROGRAM = process.env['PULSE_NGINX'] ?? 'nginx';

/** Starts nginx with the configuration in `deploy/` before the BFF at `bffUrl`, its worker on `core` alone if given. */
export async function startNginxFront(bffUrl: string, { core }: { core?: number } = {}): Promise<Front> {
  const [port, redirectPort] = await freePorts(2);
  const folder = frontFolder('nginx');
  const server = deployed('nginx/pulse-card.conf', [
    ['server 127.0.0.1:4020', `server ${new URL(bffUrl).host}`],
    ['/var/cache/nginx/pulse-card', `${folder.path}/cache`],
    ...withoutTls(Number(port), Number(redirectPort)),
  ]);
  const file = folder.write('nginx.conf', nginxAround(server, folder.path));
  const child = await startChild({
    title: 'nginx',
    command: PROGRAM,
    args: ['-p', folder.path, '-c', file, '-e', 'stderr'],
    ...(core === undefined ? {} : { core }),
  });
  const url = `http://127.0.0.1:${port}`;
  await untilAnswering(`${url}/healthz`, () => child.lastLines);
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

/** Plain HTTP on loopback: what is tested here is the cache. */
function withoutTls(port: number, redirectPort: number): (readonly [string, string])[] {
  return [
    ['listen [::]:80;', ''],
    ['listen 80;', `listen 127.0.0.1:${redirectPort};`],
    ['listen [::]:443 ssl http2;', ''],
    ['listen 443 ssl http2;', `listen 127.0.0.1:${port};`],
    ['ssl_certificate ', '# '],
    ['ssl_certificate_key ', '# '],
  ];
}

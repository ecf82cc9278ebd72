import { startChild } from '../process/child-server.ts';
import { freePorts } from '../process/free-ports.ts';
import { type Front, frontFolder, untilAnswering } from './front.ts';
import { nginxAround } from './nginx-around.ts';

/** Starts nginx, one worker, that caches nothing and hands requests to the instances in turn. */
export async function startBalancer(bffUrls: readonly string[], core?: number): Promise<Front> {
  const [port] = await freePorts(1);
  const folder = frontFolder('balancer');
  const file = folder.write('nginx.conf', nginxAround(balancing(port!, bffUrls), folder.path));
  const child = await startChild({
    title: 'nginx',
    command: process.env['PULSE_NGINX'] ?? 'nginx',
    args: ['-p', folder.path, '-c', file, '-e', 'stderr'],
    ...(core === undefined ? {} : { core }),
  });
  const url = `http://127.0.0.1:${port}`;
  await untilAnswering(`${url}/healthz`, () => child.lastLines);
  const stop = async () => {
    await child.stop();
    folder.remove();
  };
  return { name: `nginx, ${bffUrls.length} behind it`, url, pid: child.pid, stop };
}

function balancing(port: number, bffUrls: readonly string[]): string {
  return `  upstream instances {
    ${bffUrls.map((url) => `server ${new URL(url).host};`).join('\n    ')}
    keepalive 64;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://instances;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }`;
}

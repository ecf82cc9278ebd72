import { startChild } from '../process/child-server.ts';
import { freePorts } from '../process/free-ports.ts';
import { type Front, frontFolder, untilAnswering } from './front.ts';

/** Starts nginx, one worker, that caches nothing and hands requests to the instances in turn. */
export async function startBalancer(bffUrls: readonly string[], core?: number): Promise<Front> {
  const [port] = await freePorts(1);
  const folder = frontFolder('balancer');
  const file = folder.write('nginx.conf', configuration(folder.path, port!, bffUrls));
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

function configuration(folder: string, port: number, bffUrls: readonly string[]): string {
  return `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr error;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 10000000;
  client_body_temp_path ${folder}/body;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  proxy_temp_path ${folder}/temp;
  upstream instances {
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
  }
}
`;
}

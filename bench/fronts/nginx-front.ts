import { startChild } from '../process/child-server.ts';
import { freePorts } from '../process/free-ports.ts';
import { deployed, type Front, frontFolder, untilAnswering } from './front.ts';
import { nginxAround } from './nginx-around.ts';

const PROGRAM = process.env['PULSE_NGINX'] ?? 'nginx';

/** Starts nginx with the configuration in `deploy/` before the BFF at `bffUrl`, its worker on `core` alone if given. */
export async function startNginxFront(bffUrl: string, { core }: { core?: number } = {}): Promise<Front> {
  const [port] = await freePorts(1);
  const folder = frontFolder('nginx');
  const server = deployed('nginx/pulse-card.conf.template', {
    PULSE_BFF: new URL(bffUrl).host,
    PULSE_LISTEN: `127.0.0.1:${port}`,
    PULSE_CACHE_DIR: `${folder.path}/cache`,
  });
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

import { startChild } from '../child-process.ts';
import { freePorts } from '../free-port.ts';
import { deployed, type Front, frontFolder } from './front.ts';

const PROGRAM = process.env['PULSE_VARNISHD'] ?? 'varnishd';

/** Starts Varnish with the configuration in `deploy/` in front of the BFF at `bffUrl`. */
export async function startVarnishFront(bffUrl: string): Promise<Front> {
  const [port] = await freePorts(1);
  const folder = frontFolder('varnish');
  const { hostname, port: bffPort } = new URL(bffUrl);
  const vcl = deployed('varnish/pulse-card.vcl', [
    ['.host = "127.0.0.1"', `.host = "${hostname}"`],
    ['.port = "4020"', `.port = "${bffPort}"`],
  ]);
  const file = folder.write('pulse-card.vcl', vcl);
  const url = `http://127.0.0.1:${port}`;
  const child = await startChild({
    readyUrl: `${url}/healthz`,
    title: 'varnishd',
    command: PROGRAM,
    args: ['-F', '-a', `127.0.0.1:${port}`, '-T', 'none', '-f', file, '-n', `${folder.path}/work`, '-s', 'malloc,64m'],
  });
  return {
    name: 'Varnish',
    url,
    pid: child.pid,
    stop: async () => {
      await child.stop();
      folder.remove();
    },
  };
}

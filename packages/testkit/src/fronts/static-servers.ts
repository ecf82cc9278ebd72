import { createServer, type RequestListener } from 'node:http';
import sirv from 'sirv';
import { freePort } from '../free-port.ts';
import { startChild } from '../child-process.ts';
import { deployed, frontFolder } from './front.ts';
import { nginxAround } from './nginx-around.ts';

/** A common file server. */
export interface StaticServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a server for the files in `folder`. Pages on other origins can read them. */
export type StartStatic = (folder: string) => Promise<StaticServer>;

const OPEN_TO_ALL = ['Access-Control-Allow-Origin', '*'] as const;

/** The servers that exports are tested on, by name. */
export const STATIC_SERVERS: Readonly<Record<string, StartStatic>> = {
  nginx: startNginx,
  sirv: (folder) => {
    // The `dev` option is needed because the folder changes while the server runs.
    const serve = sirv(folder, { dev: true, setHeaders: (response) => void response.setHeader(...OPEN_TO_ALL) });
    return listening((request, response) => serve(request, response, () => void response.writeHead(404).end()));
  },
};

async function listening(answer: RequestListener): Promise<StaticServer> {
  const server = createServer(answer);
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, resolve));
  return {
    url: `http://localhost:${port}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function startNginx(folder: string): Promise<StaticServer> {
  const port = await freePort();
  const own = frontFolder('nginx-static');
  const locations = deployed('nginx/static.conf', [['/srv/cards', folder]]);
  const types = 'types { text/html html; text/css css; text/javascript js; application/json json; image/png png; }';
  const server = `server {\nlisten ${port};\nlisten [::]:${port};\n${locations}\n}`;
  const file = own.write('nginx.conf', nginxAround(`${types}\n${server}`, own.path));
  const child = await startChild({
    title: 'nginx',
    command: process.env['PULSE_NGINX'] ?? 'nginx',
    args: ['-p', own.path, '-c', file, '-e', 'stderr'],
    readyUrl: `http://localhost:${port}`,
  });
  return {
    url: `http://localhost:${port}`,
    close: () => child.stop().then(() => own.remove()),
  };
}

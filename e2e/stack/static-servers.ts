import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import serveHandler from 'serve-handler';
import sirv from 'sirv';
import { ROOT } from '../../scripts/run.ts';
import { freePort } from '../../scripts/free-port.ts';

/** A server of files, as people have them. */
export interface StaticServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a server of the files in `folder`, open to pages of other origins. */
export type StartStatic = (folder: string) => Promise<StaticServer>;

const OPEN_TO_ALL = ['Access-Control-Allow-Origin', '*'] as const;

/** The servers that exports are tried on, by name. */
export const STATIC_SERVERS: Readonly<Record<string, StartStatic>> = {
  nginx: startNginx,
  sirv: (folder) => {
    // As a folder is served that changes while the server runs.
    const serve = sirv(folder, { dev: true, setHeaders: (response) => void response.setHeader(...OPEN_TO_ALL) });
    return listening((request, response) => serve(request, response, () => void response.writeHead(404).end()));
  },
  serve: (folder) => {
    const headers = [{ source: '**', headers: [{ key: OPEN_TO_ALL[0], value: OPEN_TO_ALL[1] }] }];
    return listening((request, response) => {
      // A request may be under way when the folder goes: without a listener the error would end the worker.
      const open: typeof createReadStream = (path, options) =>
        createReadStream(path, options).on('error', () => response.destroy());
      void serveHandler(request, response, { public: folder, headers }, { createReadStream: open });
    });
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

/** Starts nginx with what `deploy/nginx/static.conf` says, but for the folder. */
async function startNginx(folder: string): Promise<StaticServer> {
  const port = await freePort();
  const own = mkdtempSync(join(tmpdir(), 'pulse-nginx-'));
  const deployed = readFileSync(join(ROOT, 'deploy/nginx/static.conf'), 'utf8').replaceAll('/srv/cards', folder);
  writeFileSync(join(own, 'nginx.conf'), nginxAround(deployed, own, port));
  const program = process.env['PULSE_NGINX'] ?? 'nginx';
  const child = spawn(program, ['-p', own, '-c', join(own, 'nginx.conf'), '-e', 'stderr'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const url = `http://localhost:${port}`;
  while (child.exitCode === null && !(await fetch(url).catch(() => undefined))) await pause(50);
  return {
    url,
    async close() {
      child.kill('SIGQUIT');
      await ended;
      rmSync(own, { recursive: true, force: true });
    },
  };
}

function nginxAround(server: string, own: string, port: number): string {
  const temporary = ['client_body', 'fastcgi', 'uwsgi', 'scgi', 'proxy'].map(
    (kind) => `${kind}_temp_path ${own}/${kind};`,
  );
  return `daemon off;
worker_processes 1;
pid ${own}/nginx.pid;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 64; }
http {
  types { text/html html; text/css css; text/javascript js; application/json json; image/png png; }
  access_log off;
  ${temporary.join('\n  ')}
  server {
    listen ${port};
    listen [::]:${port};
${server}
  }
}
`;
}

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get, type RequestOptions } from 'node:https';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { deployed, frontFolder } from './testing/front.ts';
import { nginxAround } from './testing/nginx-around.ts';
import { BffProcess } from '../bench/process/bff-process.ts';
import { startChild } from '../bench/process/child-server.ts';
import { freePorts } from '../bench/process/free-ports.ts';
import { type RecordingUpstream, startUpstream } from '../bench/upstream/recording-upstream.ts';

const PATIENCE_MS = 30_000;
const CLIENT_RATE = 5;

/** A proxy with the files in `deploy/`, of which only addresses and places of files are changed. */
interface RunningProxy {
  /** Port that speaks TLS, and the certificate that vouches for it. */
  readonly port: number;
  readonly ca: () => string;
  /** Port that sends readers of plain HTTP to HTTPS, where it is the proxy's affair. */
  readonly plainPort?: number;
  readonly lines: () => readonly string[];
  stop(): Promise<void>;
}

const STARTS = { nginx: startNginx, 'Varnish behind hitch': startVarnish, Caddy: startCaddy };

for (const [name, start] of Object.entries(STARTS))
  describe(`${name}, with the files in deploy/`, () => {
    let upstream: RecordingUpstream;
    let bff: BffProcess;
    let proxy: RunningProxy;
    const ask = (path: string, options: AskOptions = {}) => askOver(proxy, path, options);

    before(async () => {
      upstream = await startUpstream({ sources: 3, latencyMs: [1, 5] });
      bff = await BffProcess.start({ upstream, env: { TRUST_PROXY: '1', PULSE_CLIENT_RATE: String(CLIENT_RATE) } });
      proxy = await start(Number(new URL(bff.url).port));
      await until('the BFF is ready', async () => (await ask('/readyz'))?.status === 200, proxy.lines);
    });
    after(async () => {
      await proxy?.stop();
      await bff?.stop();
      await upstream?.close();
    });

    it('answers over TLS', async () => {
      const answer = await ask(`/v1/sources/${upstream.ids[0]}/pulse`, { localAddress: '127.0.0.9' });
      assert.deepEqual([answer?.status, answer?.text.includes('"pulse"')], [200, true]);
    });

    it('tells the BFF each visitor apart, and lets nobody pose as another', async () => {
      const statuses: (number | undefined)[] = [];
      for (let at = 0; at <= CLIENT_RATE; at += 1) {
        // Each path is new to the caches, and each request claims to come from somewhere else.
        const headers = { 'x-forwarded-for': `203.0.113.${at}` };
        statuses.push(
          (await ask(`/v1/sources/src_unheard_${at}/pulse`, { localAddress: '127.0.0.7', headers }))?.status,
        );
      }
      assert.equal(statuses.at(-1), 429);
      assert.notEqual((await ask('/v1/sources/src_unheard_9/pulse', { localAddress: '127.0.0.8' }))?.status, 429);
    });

    it('sends readers of plain HTTP to HTTPS', async (test) => {
      if (proxy.plainPort === undefined) return test.diagnostic('not its affair: nothing listens on port 80');
      const answer = await fetch(`http://localhost:${proxy.plainPort}/healthz`, { redirect: 'manual' });
      assert.ok([301, 308].includes(answer.status), String(answer.status));
      assert.match(answer.headers.get('location') ?? '', /^https:\/\/localhost/);
    });
  });

async function startNginx(bffPort: number): Promise<RunningProxy> {
  const [port, plainPort] = await freePorts(2);
  const folder = frontFolder('nginx-tls');
  const { certificate, key } = selfSigned(folder.path);
  const server = deployed('nginx/pulse-card.conf', [
    ['server 127.0.0.1:4020', `server 127.0.0.1:${bffPort}`],
    ['/var/cache/nginx/pulse-card', `${folder.path}/cache`],
    ['/etc/letsencrypt/live/pulse.example.com/fullchain.pem', certificate],
    ['/etc/letsencrypt/live/pulse.example.com/privkey.pem', key],
    ['listen 80;', `listen 127.0.0.1:${plainPort};`],
    ['listen [::]:80;', ''],
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['listen [::]:443 ssl http2;', ''],
  ]);
  const file = folder.write('nginx.conf', nginxAround(server, folder.path));
  const program = process.env['PULSE_NGINX'] ?? 'nginx';
  const child = await startChild({
    title: 'nginx',
    command: program,
    args: ['-p', folder.path, '-c', file, '-e', 'stderr'],
  });
  return {
    port: Number(port),
    plainPort: Number(plainPort),
    ca: () => readFileSync(certificate, 'utf8'),
    lines: () => child.lastLines,
    stop: () => child.stop().then(() => folder.remove()),
  };
}

async function startVarnish(bffPort: number): Promise<RunningProxy> {
  const [port, proxyPort] = await freePorts(2);
  const folder = frontFolder('varnish-tls');
  const { certificate, key } = selfSigned(folder.path);
  const pem = folder.write('pulse-card.pem', readFileSync(key, 'utf8') + readFileSync(certificate, 'utf8'));
  const vcl = deployed('varnish/pulse-card.vcl', [['.port = "4020"', `.port = "${bffPort}"`]]);
  const vclFile = folder.write('pulse-card.vcl', vcl);
  const hitch = deployed('varnish/hitch.conf', [
    ['/etc/hitch/pulse-card.pem', pem],
    ['[*]:443', `[127.0.0.1]:${port}`],
    ['[127.0.0.1]:6086', `[127.0.0.1]:${proxyPort}`],
  ]);
  const hitchFile = folder.write('hitch.conf', hitch);
  const listen = ['-a', `127.0.0.1:${proxyPort},PROXY`, '-T', 'none', '-n', `${folder.path}/work`];
  const varnish = await startChild({
    title: 'varnishd',
    command: process.env['PULSE_VARNISHD'] ?? 'varnishd',
    args: ['-F', ...listen, '-f', vclFile, '-s', 'malloc,64m'],
  });
  const tls = await startChild({ title: 'hitch', command: 'hitch', args: ['--config', hitchFile] });
  return {
    port: Number(port),
    ca: () => readFileSync(certificate, 'utf8'),
    lines: () => [...varnish.lastLines, ...tls.lastLines],
    stop: async () => {
      await tls.stop();
      await varnish.stop();
      folder.remove();
    },
  };
}

async function startCaddy(bffPort: number): Promise<RunningProxy> {
  const [port, plainPort] = await freePorts(2);
  const folder = frontFolder('caddy');
  // A global block cannot be imported, so the file itself is imported by one that has it.
  const file = folder.write(
    'Caddyfile',
    `{
      admin off
      skip_install_trust
      http_port ${plainPort}
      https_port ${port}
      storage file_system ${folder.path}/storage
    }
    import ${join(import.meta.dirname, 'caddy/Caddyfile')}\n`,
  );
  const child = await startChild({
    title: 'caddy',
    command: 'caddy',
    args: ['run', '--adapter', 'caddyfile', '--config', file],
    env: { PULSE_DOMAIN: 'localhost', PULSE_BFF: `127.0.0.1:${bffPort}`, HOME: folder.path },
  });
  return {
    port: Number(port),
    plainPort: Number(plainPort),
    ca: () => readFileSync(join(folder.path, 'storage/pki/authorities/local/root.crt'), 'utf8'),
    lines: () => child.lastLines,
    stop: () => child.stop().then(() => folder.remove()),
  };
}

/** A certificate for `localhost` that vouches for itself. */
function selfSigned(folder: string): { certificate: string; key: string } {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const type = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...type, ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  return { certificate, key };
}

interface AskOptions {
  /** Address of the visitor, on loopback. */
  readonly localAddress?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answered {
  readonly status: number | undefined;
  readonly text: string;
}

/** Asks over TLS; undefined where nothing answers. */
function askOver(proxy: RunningProxy, path: string, options: AskOptions): Promise<Answered | undefined> {
  return new Promise((resolve) => {
    const request = get(addressOf(proxy, path, options), (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    request.on('error', () => resolve(undefined));
  });
}

function addressOf({ port, ca }: RunningProxy, path: string, options: AskOptions): RequestOptions {
  const headers = { host: `localhost:${port}`, ...options.headers };
  const tls = { servername: 'localhost', ca: readable(ca) };
  return { host: '127.0.0.1', port, path, agent: false, ...tls, ...options, headers };
}

/** Undefined until the proxy has made its certificate. */
function readable(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

async function until(what: string, isSo: () => Promise<boolean>, lines: () => readonly string[]): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`Waited in vain until ${what}:\n${lines().join('\n')}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

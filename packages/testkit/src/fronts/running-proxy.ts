import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../child-process.ts';
import { freePorts } from '../free-port.ts';
import { deployed, frontFolder } from './front.ts';
import { nginxAround } from './nginx-around.ts';
import { ROOT } from '../root.ts';

/** A proxy that uses the files in `deploy/`. Only the hosts, ports, and file paths in them are changed. */
export interface RunningProxy {
  /** The TLS port and its certificate. */
  readonly port: number;
  readonly ca: () => string;
  /** The port that redirects plain HTTP to HTTPS, if the proxy has one. */
  readonly plainPort?: number;
  readonly lines: () => readonly string[];
  stop(): Promise<void>;
}

/** nginx in front of BFFs on these ports. */
export async function startNginx(ports: readonly number[]): Promise<RunningProxy> {
  const [port, plainPort] = await freePorts(2);
  const folder = frontFolder('nginx-tls');
  const { certificate, key } = selfSigned(folder.path);
  const server = deployed('nginx/pulse-card.conf', [
    ['server 127.0.0.1:4020 max_fails=0;', ports.map((bff) => `server 127.0.0.1:${bff} max_fails=0;`).join('\n')],
    ['/var/cache/pulse-card', `${folder.path}/cache`],
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

/** Varnish behind hitch, in front of the first of these ports. */
export async function startVarnish(ports: readonly number[]): Promise<RunningProxy> {
  const [port, proxyPort] = await freePorts(2);
  const folder = frontFolder('varnish-tls');
  const { certificate, key } = selfSigned(folder.path);
  const pem = folder.write('pulse-card.pem', readFileSync(key, 'utf8') + readFileSync(certificate, 'utf8'));
  const vcl = deployed('varnish/pulse-card.vcl', [['.port = "4020"', `.port = "${ports[0]}"`]]);
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

/** Caddy in front of BFFs on these ports. */
export async function startCaddy(ports: readonly number[]): Promise<RunningProxy> {
  const [port, plainPort] = await freePorts(2);
  const folder = frontFolder('caddy');
  // A global block can't be imported, so this file contains the block and imports the deployed file.
  const file = folder.write(
    'Caddyfile',
    `{
      admin off
      skip_install_trust
      http_port ${plainPort}
      https_port ${port}
      storage file_system ${folder.path}/storage
    }
    import ${join(ROOT, 'deploy/caddy/Caddyfile')}\n`,
  );
  const child = await startChild({
    title: 'caddy',
    command: process.env['PULSE_CADDY'] ?? 'caddy',
    args: ['run', '--adapter', 'caddyfile', '--config', file],
    env: { PULSE_DOMAIN: 'localhost', PULSE_BFF: ports.map((bff) => `127.0.0.1:${bff}`).join(' '), HOME: folder.path },
  });
  return {
    port: Number(port),
    plainPort: Number(plainPort),
    ca: () => readFileSync(join(folder.path, 'storage/pki/authorities/local/root.crt'), 'utf8'),
    lines: () => child.lastLines,
    stop: () => child.stop().then(() => folder.remove()),
  };
}

function selfSigned(folder: string): { certificate: string; key: string } {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const type = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...type, ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  return { certificate, key };
}

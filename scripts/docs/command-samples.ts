import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestUpstream } from '../../packages/bff/src/testing/test-upstream.ts';
import { call, connectClient } from '../../packages/mcp/src/testing/chat.ts';
import { StdioClientTransport } from '../../packages/mcp/src/testing/client.ts';
import { type ChildServer, startChild } from '../../packages/testkit/src/child-process.ts';
import { until } from '../../packages/testkit/src/until.ts';
import { capture, ROOT } from '../run.ts';

/** The command line and output of commands, by the name of the command. */
export type CommandSamples = Readonly<Record<string, string>>;

/** Runs the commands of the built programs. Text that differs between runs is replaced. */
export async function commandSamples(): Promise<CommandSamples> {
  return { ...(await samplesOfBff()), ...(await samplesOfService()) };
}

/** Runs `pulse-bff` against a fake service. */
async function samplesOfBff(): Promise<CommandSamples> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'pulse-samples-'));
  const upstream = await startTestUpstream({
    sources: [{ id: 'src_01JZ8R2M', name: 'Q2 revenue', provider: 'GOOGLE', status: 'ACTIVE' }],
  });
  const withheld = join(folder.path, 'withheld');
  writeFileSync(withheld, '');
  const keys = join(folder.path, 'token-keys.json');
  writeFileSync(keys, JSON.stringify([{ kid: 'portal-2026', secret: 'a shared secret of more than 32 bytes' }]));
  const env = {
    ...(upstream.variables as Record<string, string>),
    PULSE_PUBLIC_URL: 'https://pulse.example.com',
    PULSE_ALLOWED_ORIGINS: 'https://portal.example.com',
    PULSE_API_KEY_EXPIRES: '2099-02-20',
    PULSE_WITHHELD_FILE: withheld,
    PULSE_ACCESS: 'token',
    PULSE_TOKEN_KEYS_FILE: keys,
  };
  const isPublic = { PULSE_ACCESS: '', PULSE_TOKEN_KEYS_FILE: '', PULSE_ALLOWED_ORIGINS: '' };
  const edit = (text: string): string =>
    text
      .replaceAll(upstream.url, 'https://api.example.com')
      .replaceAll(folder.path, '/srv')
      .replaceAll(/in [\d,]+ days/g, 'in 26,387 days');
  const bff = sampler('bff', env, edit);
  try {
    return {
      ...(await samplesOfServer({ ...env, ...isPublic }, edit)),
      'pulse-bff check': await bff(['check', '--origin', 'https://www.example.com']),
      'pulse-bff export': await bff(['export', `${folder.path}/cards`], isPublic),
      'pulse-bff token mint': await bff(['token', 'mint', '--source', 'src_01JZ8R2M']),
      'pulse-bff withhold': await bff(['withhold', 'run_01JZ8R2M']),
      'pulse-bff release': await bff(['release', 'run_01JZ8R2M']),
    };
  } finally {
    await upstream.close();
  }
}

/** Starts a server on free ports, checks its health, and shows its pulses to a chat client. */
async function samplesOfServer(
  env: Readonly<Record<string, string>>,
  edit: (text: string) => string,
): Promise<CommandSamples> {
  const server = await startServer('bff', { ...env, PULSE_ADMIN_PORT: '0' });
  const { port, adminPort } = JSON.parse(server.readyLine) as { port: number; adminPort: number };
  await until('the BFF is ready', async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
  const health = await sampler('bff', { ...env, PORT: String(port) }, edit)(['health']);
  const chat = await sampleOfMcp(`http://127.0.0.1:${port}`, edit);
  await server.stop();
  const lines = server.lastLines.slice(0, server.lastLines.indexOf(server.readyLine) + 1);
  const log = edit(lines.join('\n'))
    .replaceAll(String(adminPort), '4021')
    .replaceAll(String(port), '4020')
    .replaceAll(/[\d-]+T[\d:.]+Z/g, '2026-11-23T09:00:00.000Z');
  return { 'pulse-bff serve': `$ pulse-bff serve\n${log}`, 'pulse-bff health': health, 'pulse-mcp': chat };
}

/** Starts a server on free ports, which is ready when its log has the line "listening". */
function startServer(name: string, env: Readonly<Record<string, string>>): Promise<ChildServer> {
  return startChild({
    title: name,
    args: [mainOf(name), 'serve'],
    env: { ...process.env, ...env, LOG_LEVEL: 'info', PORT: '0' },
    isReady: (line) => line.includes('"listening"'),
  });
}

/** Calls both tools of `pulse-mcp`, as a chat client does, and resolves to the text that the client gets. */
async function sampleOfMcp(bff: string, edit: (text: string) => string): Promise<string> {
  const args = [mainOf('mcp'), '--bff', bff];
  const client = await connectClient(new StdioClientTransport({ command: process.execPath, args }));
  const list = await call(client, 'list_pulses');
  const pulse = await call(client, 'get_pulse', { sourceId: 'src_01JZ8R2M' });
  await client.close();
  return edit(`list_pulses\n\n${list.text}\n\nget_pulse src_01JZ8R2M\n\n${pulse.text}`)
    .replaceAll(bff, 'https://pulse.example.com')
    .replaceAll(/\d+ minutes? ago/g, '3 minutes ago')
    .replaceAll(/[\da-f]{32}/g, '179c8c1ed6045aaf2f3f0f0c9a110b6e')
    .replaceAll(/[\d-]+T[\d:.]+Z/g, '2026-11-23T09:00:00.000Z');
}

/** Runs `pulse-service` with a new database. */
async function samplesOfService(): Promise<CommandSamples> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'pulse-samples-'));
  const dates = { updatedAt: '2026-05-08T09:00:12.000Z' };
  writeFileSync(
    join(folder.path, 'data.json'),
    JSON.stringify({
      accounts: [{ id: 'acc_1', email: 'owner@acme.test' }],
      organizations: [{ id: 'org_1', name: 'Acme', slug: 'acme' }],
      sources: [
        {
          id: 'src_1',
          accountId: 'acc_1',
          organizationId: 'org_1',
          name: 'Q2 revenue',
          provider: 'GOOGLE',
          status: 'ACTIVE',
          ...dates,
        },
      ],
      connections: [{ id: 'con_1', sourceId: 'src_1' }],
      runs: [{ id: 'run_1', connectionId: 'con_1', status: 'SUCCESS' }],
    }),
  );
  const env = { PULSE_DATA_DIR: join(folder.path, 'data') };
  const service = sampler('service', env, (text) =>
    text
      .replaceAll(`${folder.path}/`, '')
      .replaceAll(/pk_\w+_[\w-]+/g, 'pk_179c8c1ed6045aaf_…')
      .replaceAll(/\b[\da-f]{16}\b/g, '179c8c1ed6045aaf')
      .replaceAll(/[\d-]+T[\d:.]+Z/g, '2027-02-21T09:00:00.000Z'),
  );
  const imported = await service(['import', join(folder.path, 'data.json')]);
  const created = await service(['keys', 'create', '--account', 'acc_1']);
  const listed = await service(['keys', 'list']);
  const [id = ''] =
    /[\da-f]{16}/.exec((await capture(process.execPath, [mainOf('service'), 'keys', 'list'], { env })).output) ?? [];
  const server = await startServer('service', { ...env, ALT_PORT: '0' });
  await server.stop();
  const log = server.readyLine
    .replace(/(?<="url":"http:\/\/localhost:)\d+/, '4010')
    .replace(/(?<="altUrl":"http:\/\/localhost:)\d+/, '4011')
    .replaceAll(/(?<="time":)\d+/g, '1795424400000');
  return {
    'pulse-service serve': `$ pulse-service serve\n${log}`,
    'pulse-service import': imported,
    'pulse-service keys create': created,
    'pulse-service keys list': listed,
    'pulse-service keys revoke': await service(['keys', 'revoke', id]),
  };
}

/** Returns a function that runs a program in the repository and resolves to the command line and the output. */
function sampler(name: string, env: Readonly<Record<string, string>>, edit: (text: string) => string) {
  return async (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { output } = await capture(process.execPath, [mainOf(name), ...args], { env: { ...env, ...more } });
    return edit(`$ pulse-${name} ${args.join(' ')}\n${output}`)
      .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJhbGciOi…')
      .replaceAll(/resets in \d+ s/g, 'resets in 42 s')
      .replaceAll(/(?<=Expires: )[\d-]+T[\d:.]+Z(?: \([^)]*\))?/g, '2026-11-23T09:05:00.000Z')
      .replaceAll(/(?<=Issued: )[\d-]+T[\d:.]+Z(?: \([^)]*\))?/g, '2026-11-23T09:00:00.000Z')
      .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f-]{22}/g, '0b6e7d0c-6f0a-4a55-9b1d-2f3f0f0c9a11')
      .trim();
  };
}

function mainOf(name: string): string {
  return join(ROOT, 'packages', name, 'dist/main.js');
}

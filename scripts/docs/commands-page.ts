import { spawnSync } from 'node:child_process';
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestUpstream } from '../../packages/bff/src/testing/test-upstream.ts';
import { capture, ROOT } from '../run.ts';

/** The page of commands, made from the output of the built programs. */
export async function commandsPage(): Promise<string> {
  const samples = await sampleOutputs();
  const pages = ['bff', 'service', 'mcp'].flatMap((name) => {
    const folder = join(ROOT, 'packages', name);
    const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { bin: Record<string, string> };
    return Object.entries(bin).map(([program, file]) => helpOf(program, join(folder, file), samples));
  });
  return [
    '# Commands',
    'In a clone, run them as `npm run -s pulse-bff -- …`, and in the image as `node /app/dist/main.js …`. After the first release, `npx @pulse-card/bff …` runs them from npm. `pulse-service` and `pulse-mcp` work the same way, but `pulse-mcp` has no image.',
    'Exit codes: 0 success, 1 failure, 2 invalid configuration or usage. Each error is one line.',
    ...pages,
  ].join('\n\n');
}

/** A section for the program, and one for each command, with any sample output. */
function helpOf(program: string, file: string, samples: Samples): string {
  const [whole = [], ...paths] = commandPaths(file, []).filter((path) => !isListedWhole(file, path));
  const sections = paths.map((path) => {
    const name = [program, ...path].join(' ');
    return [`### ${name}`, fenced(help(file, path)), sampleOf(samples, name)]
      .filter((part) => part !== '')
      .join('\n\n');
  });
  return [`## ${program}`, fenced(help(file, whole)), ...sections].join('\n\n');
}

function sampleOf(samples: Samples, name: string): string {
  const sample = samples[name];
  return sample === undefined ? '' : `For example:\n\n${fenced(sample)}`;
}

function fenced(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\``;
}

/** The output of commands, by the name of the command. */
type Samples = Readonly<Record<string, string>>;

/** A page with a card whose id is misspelled, on a free port of this machine. */
async function servePage(): Promise<{ readonly url: string; close(): void }> {
  const card = '<pulse-card source-id="src_01JZ8R2N"></pulse-card>';
  const html = `<!doctype html><script type="module" src="https://pulse.example.com/pulse-card.js"></script>${card}`;
  const server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(html));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

/** Runs commands against a fake service, and replaces words that differ from run to run. */
async function sampleOutputs(): Promise<Samples> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'pulse-samples-'));
  const upstream = await startTestUpstream({
    sources: [{ id: 'src_01JZ8R2M', name: 'Q2 revenue', provider: 'GOOGLE', status: 'ACTIVE' }],
  });
  const page = await servePage();
  const withheld = join(folder.path, 'withheld');
  writeFileSync(withheld, '');
  const keys = join(folder.path, 'token-keys.json');
  writeFileSync(keys, JSON.stringify([{ kid: 'portal-2026', secret: 'a shared secret of more than 32 bytes' }]));
  const env = {
    ...(upstream.variables as Record<string, string>),
    // "check" and "doctor" ask the BFF that runs on this machine, for example the one of "npm start". No BFF has this port.
    PULSE_ADMIN_PORT: '2',
    PULSE_PUBLIC_URL: 'https://pulse.example.com',
    PULSE_ALLOWED_ORIGINS: 'https://portal.example.com',
    PULSE_API_KEY_EXPIRES: '2099-02-20',
    PULSE_WITHHELD_FILE: withheld,
    PULSE_ACCESS: 'token',
    PULSE_TOKEN_KEYS_FILE: keys,
  };
  const main = join(ROOT, 'packages/bff/dist/main.js');
  const isPublic = { PULSE_ACCESS: '', PULSE_TOKEN_KEYS_FILE: '', PULSE_ALLOWED_ORIGINS: page.url };
  const bff = async (args: string[], more: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { output } = await capture(process.execPath, [main, ...args], { env: { ...env, ...more } });
    const text = output
      .replaceAll(upstream.url, 'https://api.example.com')
      .replaceAll(page.url, 'https://www.example.com')
      .replaceAll(folder.path, '/srv')
      .replaceAll(/resets in \d+ s/g, 'resets in 42 s')
      .replaceAll(/in [\d,]+ days/g, 'in 26,387 days')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z(?: \([^)]*\))?/g, '2026-11-23T09:00:00.000Z')
      .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f-]{22}/g, '0b6e7d0c-6f0a-4a55-9b1d-2f3f0f0c9a11')
      .trim();
    return `$ pulse-bff ${args.map((arg) => (arg.length > 200 ? 'eyJhbGciOi…' : arg.replace(page.url, 'https://www.example.com').replace(folder.path, '/srv'))).join(' ')}\n${text.length > 200 && !text.includes(' ') ? 'eyJhbGciOi…' : text}`;
  };
  try {
    const minted = await capture(process.execPath, [main, 'token', 'mint', '--source', 'src_01JZ8R2M'], { env });
    return {
      'pulse-bff check': await bff(['check', '--origin', 'https://www.example.com']),
      'pulse-bff doctor': await bff(['doctor', `${page.url}/report`], isPublic),
      'pulse-bff export': await bff(['export', `${folder.path}/cards`], isPublic),
      'pulse-bff token mint': await bff(['token', 'mint', '--source', 'src_01JZ8R2M']),
      'pulse-bff token explain': await bff(['token', 'explain', minted.output.trim()]),
      'pulse-bff withhold': await bff(['withhold', 'run_01JZ8R2M']),
      'pulse-bff release': await bff(['release', 'run_01JZ8R2M']),
    };
  } finally {
    page.close();
    await upstream.close();
  }
}

/** Whether a command has no arguments or options. The list of all commands then says everything about it. */
function isListedWhole(file: string, path: readonly string[]): boolean {
  return path.length === 1 && !/\n(?:Arguments|Options):\n/.test(help(file, path));
}

/** Each command and each of its subcommands. */
function commandPaths(file: string, path: readonly string[]): string[][] {
  const [, list = ''] = /\nCommands:\n([^]*)/.exec(help(file, path)) ?? [];
  const names = Array.from(list.matchAll(/^ {2}([a-z]+)/gm), ([, name = '']) => name);
  const below = names.filter((name) => name !== 'help').flatMap((name) => commandPaths(file, [...path, name]));
  return path.length > 0 && names.length > 0 ? below : [[...path], ...below];
}

const helpTexts = new Map<string, string>();

function help(file: string, path: readonly string[]): string {
  const key = [file, ...path].join(' ');
  const known = helpTexts.get(key);
  if (known !== undefined) return known;
  const env = { PATH: process.env['PATH'], COLUMNS: '100', NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...path, '--help'], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`Cannot read the help of ${path.join(' ')}: ${stderr}`);
  const text = withoutCommonLines(stdout, path.length > 0);
  helpTexts.set(key, text);
  return text;
}

/** Removes the text that every command prints, and the variables, which have a separate page. */
function withoutCommonLines(text: string, isCommand: boolean): string {
  const lines = text
    .replace(/\nEnvironment:\n[^]*/, '')
    .trimEnd()
    .replace(/ {2}-h, --help .*\n?/g, '')
    .replace(/\nOptions:\n(?=\n|$)/g, '');
  return (isCommand ? lines : lines.replaceAll(/ Exit codes:[^]*?usage\./g, '')).trimEnd();
}

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../run.ts';

/** The page of commands, out of the help that the built programs print. */
export function commandsPage(): string {
  const pages = ['bff', 'service', 'mcp'].flatMap((name) => {
    const folder = join(ROOT, 'packages', name);
    const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { bin: Record<string, string> };
    return Object.entries(bin).map(([program, file]) => helpOf(program, join(folder, file)));
  });
  return [
    '# Commands',
    'In a clone, run them as `npm run -s pulse-bff -- …`, and in the image as `node /app/dist/main.js …`. After the first release, `npx @pulse-card/bff …` runs them from npm. `pulse-service` and `pulse-mcp` work the same way, but `pulse-mcp` has no image.',
    'Exit codes: 0 success, 1 failure, 2 invalid configuration or usage. Each error is one line.',
    ...pages,
  ].join('\n\n');
}

function helpOf(program: string, file: string): string {
  const paths = commandPaths(file, []).filter((path) => !isListedWhole(file, path));
  const texts = paths.map((path) => `${help(file, path)}\n`);
  return `## ${program}\n\n\`\`\`text\n${texts.join('\n')}\`\`\`\n`;
}

/** The list of all commands says everything about one that takes nothing. */
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

/** Leaves out what every command says, and the variables, which have a separate page. */
function withoutCommonLines(text: string, isCommand: boolean): string {
  const lines = text
    .replace(/\nEnvironment:\n[^]*/, '')
    .trimEnd()
    .replace(/ {2}-h, --help .*\n?/g, '')
    .replace(/\nOptions:\n(?=\n|$)/g, '');
  return (isCommand ? lines : lines.replaceAll(/ Exit codes:[^]*?usage\./g, '')).trimEnd();
}

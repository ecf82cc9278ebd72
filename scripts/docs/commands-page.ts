import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../run.ts';
import { commandSamples, type CommandSamples } from './command-samples.ts';

/** Returns the commands page, generated from the output of the built programs. */
export async function commandsPage(): Promise<string> {
  const samples = await commandSamples();
  const pages = ['bff', 'doctor', 'service', 'mcp'].flatMap((name) => {
    const folder = join(ROOT, 'packages', name);
    const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { bin: Record<string, string> };
    return Object.entries(bin).map(([program, file]) => helpOf(program, join(folder, file), samples));
  });
  return [
    '# Commands',
    'In a clone, run the commands as `npm run -s pulse-bff -- …`. In the image, run them as `node /app/dist/main.js …`. After the first release, `npx @pulse-card/bff …` runs them from npm. `pulse-doctor`, `pulse-service`, and `pulse-mcp` work the same way. The image of the BFF contains `pulse-doctor` (`node /app/node_modules/@pulse-card/doctor/dist/main.js URL`), and `pulse-mcp` has no image.',
    'The exit code is 0 after success, 1 after a failure, and 2 if the configuration or usage is invalid. Each error is one line.',
    ...pages,
  ].join('\n\n');
}

/** Returns a section for the program, and a section for each of its commands, with sample output if there is any. */
function helpOf(program: string, file: string, samples: CommandSamples): string {
  const [whole = [], ...paths] = commandPaths(file, []);
  const sections = paths.map((path) => {
    const name = [program, ...path].join(' ');
    return [`### ${name}`, fenced(help(file, path)), sampleOf(samples, name)]
      .filter((part) => part !== '')
      .join('\n\n');
  });
  const chat = sampleOf(samples, program, 'A chat client calls the tools and gets these texts, for example:');
  return [`## ${program}`, fenced(help(file, whole)), chat, ...sections].join('\n\n');
}

function sampleOf(samples: CommandSamples, name: string, introduction = 'For example:'): string {
  const sample = samples[name];
  return sample === undefined ? '' : `${introduction}\n\n${fenced(sample)}`;
}

function fenced(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\``;
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

/** Removes the lines that the help of every command has, and the variables, which have a separate page. */
function withoutCommonLines(text: string, isCommand: boolean): string {
  const lines = text
    .replace(/\nEnvironment:\n[^]*/, '')
    .trimEnd()
    .replace(/ {2}-h, --help .*\n?/g, '')
    .replace(/\nOptions:\n(?=\n|$)/g, '');
  return (isCommand ? lines : lines.replaceAll(/ Exit codes:[^]*?usage\./g, '')).trimEnd();
}

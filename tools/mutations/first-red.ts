import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Longest a test may take, in ms: without its defence one may wait for ever. */
const TEST_MS = 120_000;

/** Longest that the tests of one mutation may take together, in ms; those of all take longer. */
const ALL_MS = 600_000;

/** How the two test runners say that a test failed, its title last. */
const RED_IN_NODE = /^\s*not ok \d+ - (.*)$/m;
const RED_IN_BROWSER = /^\s*(?:𐄂|❌) (.*)$/mu;

/** How the tests of a mutation ended. */
export type Outcome =
  | { readonly kind: 'green' }
  /** `title` of the first test that failed. */
  | { readonly kind: 'red'; readonly title: string }
  /** Nothing was tested: a file could not be loaded, or nothing came to an end. */
  | { readonly kind: 'broken'; readonly output: string };

interface Ended {
  readonly isGood: boolean;
  readonly isLate: boolean;
  readonly text: string;
}

export interface RedOptions {
  /** Longest that it may take, in ms. @default 600_000 */
  readonly maxMs?: number;
}

/** Runs test files in `folder`, those for a browser in a browser, until one test has failed. */
export async function firstRed(
  folder: string,
  files: readonly string[],
  { maxMs = ALL_MS }: RedOptions = {},
): Promise<Outcome> {
  const inBrowser = files.filter((file) => file.endsWith('.browser.ts'));
  const inNode = files.filter((file) => !file.endsWith('.browser.ts'));
  const outcome = inNode.length === 0 ? ({ kind: 'green' } as const) : await redInNode(folder, inNode, maxMs);
  return outcome.kind !== 'green' || inBrowser.length === 0 ? outcome : redInBrowser(folder, inBrowser, maxMs);
}

async function redInNode(folder: string, files: readonly string[], maxMs: number): Promise<Outcome> {
  const cases = ['--import', './scripts/test/property-seed.ts'];
  const options = ['--test', '--test-concurrency=4', '--test-reporter=tap', `--test-timeout=${TEST_MS}`, ...cases];
  return outcomeOf(await runUntil(RED_IN_NODE, { cwd: folder, maxMs }, [...options, ...files]), RED_IN_NODE);
}

async function redInBrowser(folder: string, files: readonly string[], maxMs: number): Promise<Outcome> {
  const how = { cwd: join(folder, 'packages/widget'), maxMs };
  const built = await runUntil(undefined, how, ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn']);
  if (!built.isGood) return { kind: 'broken', output: built.text };
  const paths = files.map((file) => join(folder, file));
  const runner = 'node_modules/@web/test-runner/dist/bin.js';
  return outcomeOf(await runUntil(RED_IN_BROWSER, how, [runner, '--files', ...paths]), RED_IN_BROWSER);
}

/** A title that is a file's name stands for a file that could not be loaded. */
function outcomeOf({ isGood, isLate, text }: Ended, red: RegExp): Outcome {
  const title = red
    .exec(text)?.[1]
    ?.replaceAll(String.raw`\#`, '#')
    .trim();
  if (isLate) return { kind: 'red', title: 'no end: a test waits for what never comes' };
  if (isGood && title === undefined) return { kind: 'green' };
  return title === undefined || /\.(test|browser)\.ts$/.test(title)
    ? { kind: 'broken', output: text.slice(-2_000) }
    : { kind: 'red', title };
}

/** Runs Node until it ends, or until what it says matches `red`. */
function runUntil(
  red: RegExp | undefined,
  { cwd, maxMs }: { cwd: string; maxMs: number },
  args: readonly string[],
): Promise<Ended> {
  return new Promise((resolve) => {
    // A test runner inside a test runner would report to its parent and not to us.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const child = spawn(process.execPath, ['--conditions=source', ...args], { cwd, env, detached: true });
    let text = '';
    // The whole group, for a runner has a process for each file, or a browser.
    const end = (): void =>
      void (child.pid !== undefined && child.exitCode === null && process.kill(-child.pid, 'SIGKILL'));
    let isLate = false;
    const deadline = setTimeout(() => {
      isLate = true;
      end();
    }, maxMs);
    const receive = (chunk: Buffer): void => {
      text += stripVTControlCharacters(chunk.toString());
      // The next chunk may hold the rest of a title.
      if (red !== undefined && hasCompleteLine(text, red)) end();
    };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', receive);
    child.on('close', (code) => {
      clearTimeout(deadline);
      resolve({ isGood: code === 0, isLate, text });
    });
  });
}

function hasCompleteLine(text: string, red: RegExp): boolean {
  const at = red.exec(text);
  return at !== null && text.indexOf('\n', at.index + at[0].length) !== -1;
}

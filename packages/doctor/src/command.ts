import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { closestMatch } from 'leven';
import { checkPage, type PageCheckResult } from './check-page.ts';
import type { Finding } from './finding.ts';

/** The parts of a process that the command uses. */
export type Shell = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>;

/** Runs `pulse-doctor` with these arguments. Resolves to its exit code. */
export async function runDoctor(words: readonly string[], shell: Shell): Promise<0 | 1 | 2> {
  const program = createProgram(shell);
  try {
    program.parse(words, { from: 'user' });
  } catch (error) {
    return error instanceof CommanderError && error.exitCode === 0 ? 0 : 2;
  }
  const { token, json } = program.opts<{ token?: string; json?: true }>();
  const given = (token === '-' ? await text(shell.stdin) : token)?.trim();
  if (given === '') {
    shell.stderr.write('error: the token is empty. Pass one after --token, or send one to standard input.\n');
    return 2;
  }
  const result = await checkPage(program.processedArgs[0] as URL, given);
  shell.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : linesOf(result));
  return result.ok ? 0 : 1;
}

function createProgram({ stdout, stderr }: Shell): Command {
  return new Command('pulse-doctor')
    .description(
      'Fetches a page, queries the BFF that it names, and reports what keeps its cards from working. Exit codes: 0 no error was found, 1 cards don’t work or the page can’t be read, 2 invalid usage.',
    )
    .argument('<url>', 'the URL of a page', pageUrl)
    .option('--token <token>', 'send this token to the BFF (- reads it from standard input)')
    .option('--json', 'print the result as JSON')
    .version((JSON.parse(readFileSync(MANIFEST, 'utf8')) as { version: string }).version)
    .exitOverride()
    .configureOutput({ writeOut: (out) => void stdout.write(out), writeErr: (out) => void stderr.write(faultOf(out)) });
}

/** Commander's message, with the nearest option and without values, because a value could be a token. */
function faultOf(message: string): string {
  const [start, option] = /^error: unknown option '([^'=]+)/.exec(message) ?? [];
  if (option === undefined) return message.replace(/ value '[^]*'(?= is invalid)| but got \d+: [^]*(?=\.\n)/, '');
  return `${start}' (did you mean ${closestMatch(option, ['--token', '--json', '--version', '--help'])}?)\n`;
}

const MANIFEST = new URL('../package.json', import.meta.url);

function pageUrl(given: string): URL {
  if (/^https?:\/\/[^/?#]/i.test(given) && URL.canParse(given)) return new URL(given);
  throw new InvalidArgumentError('It must be a URL that includes the scheme, such as https://www.example.com/page.');
}

/** The result as lines for a terminal. */
function linesOf({ page, bff, findings }: PageCheckResult): string {
  const lines = [
    `Page: ${page.url} (${page.wasRead ? plural(page.cards, 'card') : 'not read'})`,
    ...(bff === null ? [] : [`BFF: ${bff}`]),
    '',
    ...findings.flatMap(findingLines),
    summaryOf(page, findings),
  ];
  return `${lines.join('\n')}\n`;
}

function findingLines({ severity, code, title, detail, fix }: Finding): string[] {
  return [`${severity} ${code}: ${title}`, `  ${detail}`, `  Change: ${fix}`, ''];
}

function summaryOf(page: PageCheckResult['page'], findings: readonly Finding[]): string {
  if (page.wasRead && page.cards === 0)
    return 'The page’s HTML has no card. This check can’t see cards that a script adds.';
  if (findings.length === 0) return 'Found nothing that keeps cards from working.';
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  return `Found ${plural(errors, 'error')} and ${plural(findings.length - errors, 'warning')}.`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { closestMatch } from 'leven';
import { checkPage, type PageCheckResult } from './check-page.ts';
import { cleanLine, type Finding } from './finding.ts';

const OPTIONS = {
  token: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', short: 'V', default: false },
} as const;

const USAGE = `Usage: pulse-doctor [options] <url>

Fetches a page, asks the BFF that it names, and says what keeps its cards from working.
Exit codes: 0 cards work, 1 they don't or the page can't be read, 2 invalid usage.

Options:
  --token <token>  send this token to the BFF (- reads it from standard input)
  --json           print the result as JSON
  -V, --version    print the version
  -h, --help       print this help
`;

/** The parts of a process that the command uses. */
export interface Shell {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** Runs `pulse-doctor` with these arguments. Resolves to its exit code. */
export async function runDoctor(words: string[], { stdin, stdout, stderr }: Shell): Promise<0 | 1 | 2> {
  const read = argumentsOf(words);
  if (typeof read === 'string') {
    stderr.write(`${cleanLine(read)}\n`);
    return 2;
  }
  const { url, values } = read;
  if (values.help || values.version || url === undefined) {
    stdout.write(values.help ? USAGE : `${version()}\n`);
    return 0;
  }
  const token = values.token === '-' ? (await text(stdin)).trim() : values.token;
  const result = await checkPage(url, { token });
  stdout.write(values.json ? `${JSON.stringify(result, null, 2)}\n` : linesOf(result));
  return result.ok ? 0 : 1;
}

/** The URL and the options, or the reason why they are invalid. */
function argumentsOf(words: string[]) {
  try {
    const { values, positionals } = parseArgs({ args: words, options: OPTIONS, allowPositionals: true });
    if (values.help || values.version) return { values, url: undefined };
    const [given = '', ...others] = positionals;
    if (given === '')
      return 'URL: missing. Run pulse-doctor with the URL of a page, such as https://www.example.com/report';
    if (others.length > 0) return `Only one URL can be checked at a time, not ${positionals.length}`;
    if (!/^https?:\/\/[^/?#]/i.test(given) || !URL.canParse(given))
      return 'URL: must be a URL that includes the scheme, such as https://www.example.com/page';
    return { values, url: new URL(given) };
  } catch (error) {
    const { message } = error as Error;
    const option = /'(-+[^' =]+)/.exec(message)?.[1] ?? '';
    const names = Object.keys(OPTIONS).map((name) => `--${name}`);
    const nearest = closestMatch(option, names, { maxDistance: 3 });
    if (/Unknown option/.test(message))
      return `Unknown option ${option}${nearest === undefined ? '. Run pulse-doctor --help' : `. The nearest option is ${nearest}`}`;
    return message.replace(/\. .*$/s, '');
  }
}

function version(): string {
  return (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version;
}

/** The result as lines for a terminal. */
function linesOf({ page, bff, originAllowed, findings, token }: PageCheckResult): string {
  const cards = page.cards === 1 ? '1 card' : `${page.cards} cards`;
  const lines = [
    `Page: ${page.url} (${page.wasRead ? cards : 'not read'})`,
    ...(bff === null ? [] : [`BFF: ${bff}`, `Origin: ${page.origin} is ${originAllowed ? '' : 'not '}allowed`]),
    '',
    ...findings.flatMap(findingLines),
    ...(token === null ? [] : ['Token:', ...token.lines.map((line) => `  ${line}`), '']),
    summaryOf(page, findings),
  ];
  return `${lines.map(cleanLine).join('\n')}\n`;
}

function findingLines({ severity, code, title, detail, fix }: Finding): string[] {
  return [`${severity} ${code}: ${title}`, `  ${detail}`, `  Change: ${fix}`, ''];
}

function summaryOf(page: PageCheckResult['page'], findings: readonly Finding[]): string {
  if (page.wasRead && page.cards === 0)
    return 'The page’s HTML has no card. This check can’t see cards that a script adds.';
  if (findings.length === 0) return 'Found nothing that keeps cards from working.';
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`;
  return `Found ${plural(errors, 'error')} and ${plural(findings.length - errors, 'warning')}.`;
}

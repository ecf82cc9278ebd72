// Lists the lines of prose that make readers stumble: compressed or inverted sentences.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run.ts';

/** Each pattern is tested on one line of prose at a time. The second part specifies what to write instead. */
const PATTERNS: readonly (readonly [pattern: RegExp, write: string])[] = [
  [/\b[Ww]here (it|its|there|that|they|nobody|nothing|none|one|no|a|an|the) /, 'if, when, unless'],
  [/(?<!stand)(?<!leave)(?<!leaves)(?<!left)(?<!let) alone\b/, 'only, before the word'],
  [/\bof (its|their|your|our|one.s|his) own\b/, 'its own …, a separate …'],
  [/\b[Nn]obody\b|says? nothing|asks? nobody/, 'no one, doesn’t …'],
  [/\bat once\b|by itself|by themselves|for good|all the same/, 'immediately, automatically, permanently, anyway'],
  [/\b([Bb]esides?|, save )\b|\bbut (for|its|those|the one)\b/, 'next to, in addition to, except'],
  [/\b([Ww]hoever|[Ww]hatever|however (long|wide|many|often|that))\b/, 'anyone who, any, regardless of'],
  [/(has|have|had) come|as (it|they) comes?|is there|are there|is gone/, 'has arrived, exists, is loaded'],
  [
    /\b(stands?|lies|lie|stood)\b (in|at|on|beside|for|between|there|under|above|below|before|behind|after|next)\b/,
    'is, appears',
  ],
  [
    /\b(page|card|board|service|browser|server|it|that|which|BFF|element|host|proxy|Redis|script|widget)s? (wants?|speaks?|believes?|believed)\b/,
    'requires, uses, trusts',
  ],
  [/\b(goes|go|went|going) on\b/, 'continues'],
  [/\b(tells?|told|hears?|heard) (nothing|nobody|no|of|who|which|what)\b/, 'reports, logs, receives'],
  [/(is|as|to|than|from|by|of) (that|those) of\b/, 'the noun again'],
  [/[Ii]n place of/, 'instead of, replaces'],
  [/\bthe key before\b(?! (the|a|it|its|this|that)\b)/, 'the previous key'],
  [/\b(has|have|had) (every|all|each) \w+ (fail|go|come|wait|stop|show)\b/, 'makes every …'],
  [/, for (it|they|then|whoever|nobody|anyone) /, 'because'],
  [
    /(?<!['/](?=faults?(\.ts)?'))\b([Ff]aults?|[Tt]roubles?|[Mm]end(s|ed)?|eyebrow|way out|is another)\b/,
    'error, problem, fix, outbound, different',
  ],
  [
    /\b([Tt]he|your|its) (header|variable|attribute|function|option|method|event|property|directive|claim|slot) (`| {3,}[^\s|])/,
    'the code before the noun: the `X` header',
  ],
  [/\b(has|have) at most\b/, 'can be up to, contains at most'],
  [/\b([Tt]akes?|[Tt]ook|taken) over\b|\btake-?overs?\b(?![.'])/, 'adopts, rotates'],
  [/\b[Ee]-mail|\b[Uu]ser names?\b|(?<![-/])\b[Ee]xpir(y|ies)\b(?!-)/, 'email, username, expiration'],
];

/** These are tested only on documents. */
const DOCUMENT_PATTERNS: typeof PATTERNS = [
  [/(?<![-\w])[Cc]annot\b(?!-)/, 'can’t'],
  [/\b[Mm]ay not\b/, 'can’t, isn’t allowed to'],
  [/\b[Rr]efus(es|ing|als?)\b(?!['.])/, 'rejects (a server), blocks (a browser), rejection'],
  [/\baddress of (the|a|this|your) (page|BFF|script|chart|image|service|site|card|repository)\b/, 'URL'],
  [/\b([Aa]n?|its|this|each|every|source|run|key) ids?(?=[ .,)]|$)/, 'ID'],
  [/\bany more\b(?=[.,;:]|$)|\boutdated\b|\bAI texts\b/, 'anymore, stale, AI-generated text'],
  [/\b(color|line|page|session|string|URL|view)s? like that\b/i, 'such a …, these …'],
];

/**
 * The files, and how many of their lines are allowed to match. Lower the number when lines are rewritten. Never raise
 * it.
 */
const GROUPS = [
  {
    files: ['*.md', '.github/*.md', 'docs/**/*.md', 'packages/*/*.md', '{bench,deploy,demo,examples}/**/*.md'],
    isCode: false,
    maxLines: 0,
  },
  { files: ['{packages,demo,e2e,bench,scripts,examples}/**/*.{ts,tsx}'], isCode: true, maxLines: 8 },
];

const EXCLUDED = ['**/{node_modules,dist,lang}/**', 'scripts/prose*', '**/*.d.ts', 'bench/results/**'];

/** The comments and strings in a TypeScript file. Regular expressions and code aren't prose. */
const PROSE_IN_CODE =
  /\/\*[\s\S]*?\*\/|(?<![:\\])\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/**
 * Finds the lines that match a pattern, as `LINE "FOUND": write WORDS`. With `isCode`, only comments and strings count.
 */
export function findProse(text: string, { isCode }: { readonly isCode: boolean }): string[] {
  const patterns = isCode ? PATTERNS : [...PATTERNS, ...DOCUMENT_PATTERNS];
  const prose = isCode ? proseOf(text) : text.replaceAll(/^```[^]*?^```|`[^`\n]*`/gm, blank);
  return prose.split('\n').flatMap((line, index) => {
    // The code of a placeholder in a string isn't prose, up to its first quotation mark.
    const words = line.replaceAll(/\$\{[^}'"`]*/g, '…');
    const hit = patterns.flatMap(([pattern, write]) =>
      (pattern.exec(words) ?? []).slice(0, 1).map((found) => ({ found, write })),
    )[0];
    return hit === undefined ? [] : [`${index + 1} "${hit.found.trim()}": write ${hit.write}`];
  });
}

/** The text, with everything except its prose replaced by spaces. Lines keep their numbers. */
function proseOf(text: string): string {
  let prose = '';
  let end = 0;
  for (const { 0: part, index } of text.matchAll(PROSE_IN_CODE)) {
    prose += blank(text.slice(end, index)) + part;
    end = index + part.length;
  }
  return prose + blank(text.slice(end));
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}

if (process.argv[1] === import.meta.filename)
  for (const { files, isCode, maxLines } of GROUPS) {
    const hits = globSync(files, { cwd: ROOT, exclude: EXCLUDED })
      .toSorted()
      .flatMap((file) => findProse(readFileSync(join(ROOT, file), 'utf8'), { isCode }).map((hit) => `${file}:${hit}`));
    console.log(`${files[0]} …: ${hits.length} lines match a pattern, ${maxLines} are allowed`);
    if (hits.length > maxLines || process.argv.includes('--list')) console.error(hits.join('\n'));
    if (hits.length > maxLines) process.exitCode = 1;
  }

// Prints random sentences from the docs, messages, comments, and test titles, 50 of each, for a reader to judge.
// The seed is the commit, or the argument.
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run.ts';

const EXCLUDE = ['**/{node_modules,dist,lang,fixtures}/**', '**/CHANGELOG.md'];
const TESTS = /\.(?:test|browser|spec)\.ts$/;
const MIN_WORDS = 4;

const seed = process.argv[2] ?? execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();

function textsOf(globs: readonly string[], pick: (file: string) => boolean, pattern: RegExp): string[] {
  const files = globSync(globs, { cwd: ROOT, exclude: EXCLUDE }).filter(pick).toSorted();
  return files.flatMap((file) =>
    [...withoutCode(readFileSync(join(ROOT, file), 'utf8')).matchAll(pattern)].map(
      (match) => match.slice(1).find(Boolean) ?? '',
    ),
  );
}

/** Markdown without its code blocks. */
function withoutCode(text: string): string {
  return text.replaceAll(/^```[^]*?^```/gm, '');
}

function sentencesIn(text: string): string[] {
  const flat = text.replaceAll(/^\s*(?:\*(?!\*)|\/\/|[-|#>]|\d+\.)\s?/gm, '').replaceAll(/\s+/g, ' ');
  const sentences = flat.split(/(?<=[.!?:])\s+(?=[A-Z`"<@])|\s\|\s/).map((sentence) => sentence.trim());
  return sentences.filter(
    (sentence) => /^[A-Z`"<]?.*[a-z]{2}/.test(sentence) && sentence.split(' ').length >= MIN_WORDS,
  );
}

/** The same sentences for the same seed: those with the smallest digests. */
function sample(texts: readonly string[], count = 50): string[] {
  const digest = (text: string) =>
    createHash('sha256')
      .update(seed + text)
      .digest('hex');
  const unique = [...new Set(texts.flatMap(sentencesIn))];
  return unique.toSorted((one, other) => digest(one).localeCompare(digest(other))).slice(0, count);
}

const SOURCES = ['{packages,demo}/**/*.ts'];
const kinds = {
  docs: textsOf(
    ['*.md', 'docs/**/*.md', 'packages/*/README.md'],
    (file) => !file.includes('reference/'),
    /^(?!```|\||<|---|import )(\S.{20,})$/gm,
  ),
  messages: textsOf(SOURCES, (file) => !TESTS.test(file), /(?:'([A-Z][^'\n]{20,})'|`([A-Z][^`\n]{20,})`)/g),
  comments: textsOf(SOURCES, (file) => !TESTS.test(file), /\/\*\*([\s\S]*?)\*\/|^\s*\/\/ (.+)$/gm),
  titles: textsOf(['{packages,demo,e2e,scripts}/**/*.ts'], (file) => TESTS.test(file), /\bit\(\s*'([^']{20,})'/g),
};
let number = 0;
for (const [kind, texts] of Object.entries(kinds)) {
  console.log(`\n${kind}`);
  for (const sentence of sample(texts)) console.log(`${(number += 1)}. ${sentence}`);
}

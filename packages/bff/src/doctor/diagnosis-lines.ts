import type { Diagnosis } from './diagnose-page.ts';
import type { Finding } from './finding.ts';

/** A diagnosis as lines for a terminal. */
export function diagnosisLines({ ok, page, originAllowed, findings, token }: Diagnosis): string[] {
  const cards = `${page.cards} ${page.cards === 1 ? 'card' : 'cards'}`;
  return [
    page.wasRead ? `Page: ${page.url} (${cards})` : `Page: ${page.url} (not read)`,
    `Origin: ${page.origin} ${originAllowed ? 'is allowed' : 'is not allowed'}`,
    ...(token === null ? [] : ['', ...token.lines]),
    ...findings.flatMap((finding) => ['', ...findingLines(finding)]),
    '',
    summaryLine(findings, ok),
  ];
}

function findingLines({ severity, code, title, detail, fix }: Finding): string[] {
  return [`${severity} ${code}: ${title}`, `  ${detail}`, `  Change: ${fix}`];
}

function summaryLine(findings: readonly Finding[], isOk: boolean): string {
  if (findings.length === 0) return 'Nothing found that keeps cards from working.';
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  if (errors === 0 && !isOk) return 'The page could not be read.';
  const warnings = findings.length - errors;
  return `Found ${counted(errors, 'error')} and ${counted(warnings, 'warning')}.`;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** A problem that keeps, or might keep, cards from working. All strings are one line without control characters. */
export interface Finding {
  /** The kind of problem, such as `csp_script`. */
  readonly code: string;
  /** An `error` keeps cards from working. A `warning` might. */
  readonly severity: 'error' | 'warning';
  /** The problem, in one sentence. */
  readonly title: string;
  /** Why the problem matters, and its location on the page. */
  readonly detail: string;
  /** The one line to change, corrected. */
  readonly fix: string;
}

/** An issue's strings. */
export type Texts = Pick<Finding, 'title' | 'detail' | 'fix'>;

/** The maximum length of an issue's text, in characters. A whole policy must fit into it. */
const MAX_TEXT_LENGTH = 8_000;

/** An issue whose texts are single lines. */
export function findingOf(code: string, texts: Texts, severity: Finding['severity'] = 'error'): Finding {
  const { title, detail, fix } = texts;
  return { code, severity, title: cleanLine(title), detail: cleanLine(detail), fix: cleanLine(fix) };
}

/** `text` as a single line of limited length, with control characters replaced by `?`. */
export function cleanLine(text: string): string {
  const cut = text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
  return cut.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
}

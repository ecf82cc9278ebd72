/** How serious an issue is. An `error` keeps cards from working. A `warning` might. */
export type Severity = 'error' | 'warning';

/** The codes of the doctor's issues, as a closed list. */
export type FindingCode =
  | ('page_unreachable' | 'origin_not_allowed' | 'script_missing' | 'script_not_module' | 'script_type_changed')
  | (
      | 'script_not_found'
      | 'board_undefined'
      | 'other_bff'
      | 'bff_unreachable'
      | 'bff_refuses'
      | 'bff_on_loopback'
      | 'mixed_content'
    )
  | ('tag_misspelt' | 'tag_not_closed' | 'source_id_missing' | 'source_unknown')
  | ('csp_script' | 'csp_connect' | 'csp_image' | 'csp_frame')
  | ('token_missing' | 'token_refused' | 'token_origin' | 'token_source');

/** A problem that keeps, or might keep, cards from working. All strings are one line without control characters. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** The problem, in one sentence. */
  readonly title: string;
  /** Why the problem matters, and its location on the page. */
  readonly detail: string;
  /** The one line to change, in its correct form. */
  readonly fix: string;
}

/** The strings of an issue. */
export type Texts = Pick<Finding, 'title' | 'detail' | 'fix'>;

/** The maximum length of an issue's text, in characters. A whole policy must fit into it. */
const MAX_TEXT_LENGTH = 8_000;

/** An issue that keeps cards from working. */
export function errorFinding(code: FindingCode, { title, detail, fix }: Texts, severity: Severity = 'error'): Finding {
  return { code, severity, title: cleanLine(title), detail: cleanLine(detail), fix: cleanLine(fix) };
}

/** An issue that might keep cards from working. */
export function warningFinding(code: FindingCode, texts: Texts): Finding {
  return errorFinding(code, texts, 'warning');
}

/** `text` as a single line of limited length, with control characters replaced by `?`. */
export function cleanLine(text: string): string {
  const cut = text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
  return cut.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
}

import { printable } from '../observability/log.ts';

/** How much a finding matters: an `error` keeps cards from working, a `warning` may. */
export type Severity = 'error' | 'warning';

/** What the doctor can find, as a closed list. */
export type FindingCode =
  | 'page_private'
  | 'page_unreachable'
  | 'page_status'
  | 'page_not_html'
  | 'page_redirects'
  | 'page_truncated'
  | 'origin_not_allowed'
  | 'card_missing'
  | 'script_missing'
  | 'script_not_module'
  | 'script_delayed'
  | 'script_unknown'
  | 'script_outdated'
  | 'script_integrity'
  | 'script_integrity_unpinned'
  | 'other_bff'
  | 'bff_on_loopback'
  | 'mixed_content'
  | 'tag_misspelt'
  | 'tag_not_closed'
  | 'attribute_misspelt'
  | 'attribute_value'
  | 'source_id_missing'
  | 'source_id_invalid'
  | 'source_unknown'
  | 'sources_unchecked'
  | 'csp_script'
  | 'csp_connect'
  | 'csp_image'
  | 'csp_frame'
  | 'csp_trusted_types'
  | 'csp_sandbox'
  | 'coep_image'
  | 'coep_frame'
  | 'image_host_not_allowed'
  | 'trust_proxy'
  | 'token_missing'
  | 'token_unused'
  | 'token_refused'
  | 'token_origin'
  | 'token_source';

/** One thing that keeps cards from working, or may. All texts are one line, free of control characters. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** What is wrong, in one sentence. */
  readonly title: string;
  /** Why it matters, and where it was found. */
  readonly detail: string;
  /** The one line to change, as it should read. */
  readonly fix: string;
}

type Texts = Readonly<Record<'title' | 'detail' | 'fix', string>>;

/** Longest text of a finding, in characters: a page can hold lines of any length, and a policy is repeated whole. */
const MAX_TEXT_LENGTH = 20_000;

/** A finding of severity `error`. */
export function errorFinding(code: FindingCode, texts: Texts): Finding {
  return { code, severity: 'error', ...cleaned(texts) };
}

/** A finding of severity `warning`. */
export function warningFinding(code: FindingCode, texts: Texts): Finding {
  return { code, severity: 'warning', ...cleaned(texts) };
}

function cleaned({ title, detail, fix }: Texts): Texts {
  return { title: cleanLine(title), detail: cleanLine(detail), fix: cleanLine(fix) };
}

/** `text` as one line of bounded length that steers no terminal. */
export function cleanLine(text: string): string {
  const line = printable(text);
  return line.length > MAX_TEXT_LENGTH ? `${line.slice(0, MAX_TEXT_LENGTH)}…` : line;
}

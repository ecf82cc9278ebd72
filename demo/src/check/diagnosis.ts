import { STUDIO_URL } from '../shell/studio-url.ts';

/** One thing that keeps cards from working, or may. */
export interface Finding {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  /** What is wrong, in one sentence. */
  readonly title: string;
  /** Why it matters, and where it was found. */
  readonly detail: string;
  /** The one line to change, as it should read. */
  readonly fix: string;
}

/** What the BFF finds on a page. */
export interface Diagnosis {
  /** There is no finding of severity `error`, and the page was read, where one was asked for. */
  readonly ok: boolean;
  readonly page: {
    readonly url: string;
    readonly origin: string;
    /** The page was read, so that the findings are about it. */
    readonly wasRead: boolean;
    /** The cards, boards and frames on it. */
    readonly cards: number;
  };
  readonly originAllowed: boolean;
  readonly findings: readonly Finding[];
  /** What a pasted token says and why it is refused, line by line; null where none was given. */
  readonly token: { readonly accepted: boolean | null; readonly lines: readonly string[] } | null;
}

/** Has the BFF look at a page, and at a token. Rejects with a sentence for the reader. */
export async function requestDiagnosis(check: { readonly url?: string; readonly token?: string }): Promise<Diagnosis> {
  const response = await fetch(new URL('api/check', STUDIO_URL), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(check),
  }).catch(() => undefined);
  if (response === undefined) throw new Error('The BFF does not answer. Is it running?');
  if (response.status === 404 || response.status === 405)
    throw new Error(
      'This BFF cannot check pages yet. Update it, or ask "pulse-bff check --origin" whether an origin is allowed.',
    );
  const body = (await response.json().catch(() => undefined)) as { error?: string } | undefined;
  if (!response.ok) throw new Error(body?.error ?? `The BFF answered ${response.status}.`);
  return body as Diagnosis;
}

import { askBff, UNKNOWN_BFF } from './ask-bff.ts';
import { diagnose, type Diagnosis, readPage } from './diagnose.ts';
import { type FetchGuards, fetchPage } from './fetch-page.ts';

/** The diagnosis of a page, and the BFF that was asked. */
export interface PageCheckResult extends Diagnosis {
  /** The URL of the page's BFF; null if it doesn't have one. */
  readonly bff: string | null;
}

/**
 * Fetches the page at `url`, queries the page's BFF with the page's `Origin`, and diagnoses the page based on the BFF's
 * response. `token` replaces the tokens in the page's tags. Never rejects.
 */
export async function checkPage(
  url: URL,
  { token, ...guards }: FetchGuards & { readonly token?: string | undefined } = {},
): Promise<PageCheckResult> {
  const page = await fetchPage(url, guards);
  const unknown = { ...UNKNOWN_BFF, now: Date.now() };
  if (!page.ok) return { ...(await diagnose(page, unknown, token)), bff: null };
  const { settings, findings } = await askBff(readPage(page, unknown), token);
  const diagnosis = await diagnose(page, settings, token);
  return {
    ...diagnosis,
    ok: diagnosis.ok && findings.every(({ severity }) => severity !== 'error'),
    findings: [...findings, ...diagnosis.findings],
    bff: settings.publicUrl === UNKNOWN_BFF.publicUrl ? null : settings.publicUrl,
  };
}

import type { Diagnosis } from '@pulse-card/bff';
import { STUDIO_URL } from '../shell/studio-url.ts';

/** Asks the BFF to check a page and a token. Rejects with a message for the user. */
export async function requestDiagnosis(check: { readonly url?: string; readonly token?: string }): Promise<Diagnosis> {
  const response = await fetch(new URL('api/check', STUDIO_URL), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(check),
  }).catch(() => undefined);
  if (response === undefined) throw new Error('The BFF isn’t responding. Is it running?');
  const body = (await response.json().catch(() => undefined)) as { error?: string } | undefined;
  if (!response.ok) throw new Error(body?.error ?? `The BFF returned ${response.status}.`);
  return body as Diagnosis;
}

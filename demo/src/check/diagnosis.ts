import type { Diagnosis } from '@pulse-card/bff';
import { errorOf } from '../shell/bff-api.ts';
import { STUDIO_URL } from '../shell/studio-url.ts';

/** Asks the BFF to check a page and a token. Rejects with a message for the user. */
export async function requestDiagnosis(check: { readonly url?: string; readonly token?: string }): Promise<Diagnosis> {
  const response = await fetch(new URL('api/check', STUDIO_URL), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(check),
  }).catch(() => undefined);
  if (!response?.ok) throw await errorOf(response);
  return (await response.json()) as Diagnosis;
}

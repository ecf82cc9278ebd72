import type { StatusDocument } from '@pulse-card/bff';

/** How long to wait for the status, in ms. */
const TIMEOUT_MS = 3_000;

/**
 * Asks a BFF's admin port whether the service is responding. Resolves to a warning if it isn't, and to undefined if it
 * is, or if that is unknown.
 */
export async function serviceWarning(adminUrl: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${adminUrl}/status`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const { ready, degraded, summary } = (await response.json()) as StatusDocument;
    if (ready && degraded.length === 0) return undefined;
    return `${summary.headline} To see why, with the same variables: npm run -s pulse-bff -- check`;
  } catch {
    return undefined;
  }
}

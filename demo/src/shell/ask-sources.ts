import type { PublicSource, SourcesAnswer } from '@pulse-card/contract';
import { BFF_URL } from './bff-url.ts';

/** Asks the BFF for the sources of the account; an empty list where it does not answer. */
export async function askSources(): Promise<readonly PublicSource[]> {
  try {
    const response = await fetch(`${BFF_URL}/v1/sources`);
    return response.ok ? ((await response.json()) as SourcesAnswer).sources : [];
  } catch {
    return [];
  }
}

/** The source that is wanted, or the first where the account is another and does not have it. */
export function sourceNear(sources: readonly PublicSource[], wanted: string): string {
  return sources.some(({ id }) => id === wanted) ? wanted : (sources[0]?.id ?? wanted);
}

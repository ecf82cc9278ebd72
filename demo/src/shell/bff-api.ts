import type { StudioSettings } from '@pulse-card/bff';
import { BFF_URL, STUDIO_URL } from './studio-url.ts';

/** A source in the account's list. */
export interface ListedSource {
  readonly id: string;
  readonly name: string | null;
  readonly status: string;
  readonly provider: string;
}

/**
 * The BFF's configuration and the command that started it together with this Studio. If there's a command, the person
 * viewing this page is the operator.
 */
export interface StudioConfig extends StudioSettings {
  readonly startCommand?: string | undefined;
}

/** Requests the BFF's configuration. Rejects with a message for the user. */
export async function fetchConfig(): Promise<StudioConfig> {
  const response = await fetchAnswer(new URL('api/config', STUDIO_URL));
  const command = response.headers.get('X-Pulse-Start-Command');
  const startCommand = command === null ? undefined : decodeURIComponent(command);
  return { ...((await response.json()) as StudioSettings), startCommand };
}

/** Requests the account's sources. Rejects with a message for the user. */
export async function fetchSources(): Promise<readonly ListedSource[]> {
  const { sources } = (await fetchJson(`${BFF_URL}/v1/sources`)) as { sources: readonly ListedSource[] };
  return sources;
}

/** The BFF's own description of its problem; undefined if it doesn't report one or doesn't respond. */
export async function fetchTrouble(): Promise<string | undefined> {
  const status = await fetchJson(new URL('api/status', STUDIO_URL)).catch(() => undefined);
  const { summary } = (status ?? {}) as { summary?: { level: string; headline: string; advice: string } };
  return summary === undefined || summary.level === 'ok' ? undefined : `${summary.headline} ${summary.advice}`;
}

/**
 * The first source that has something to show, or just the first source if none does. Undefined if there are no
 * sources.
 */
export function bestSource(sources: readonly ListedSource[]): ListedSource | undefined {
  return sources.find(({ status }) => status === 'ACTIVE') ?? sources[0];
}

/** The origin of a source's chart, or undefined while the source has no chart. */
export async function fetchImageOrigin(sourceId: string): Promise<string | undefined> {
  const body = (await fetchJson(`${BFF_URL}/v1/sources/${encodeURIComponent(sourceId)}/pulse`)) as {
    pulse: { imageUrl: string | null };
  };
  const { imageUrl } = body.pulse;
  return imageUrl !== null && URL.canParse(imageUrl) ? new URL(imageUrl).origin : undefined;
}

async function fetchJson(url: string | URL): Promise<unknown> {
  return (await fetchAnswer(url)).json();
}

async function fetchAnswer(url: string | URL): Promise<Response> {
  const response = await fetch(url).catch(() => undefined);
  if (response?.ok) return response;
  throw await errorOf(response);
}

/** The error for a failed request, with the BFF's own message if it sent one. `response`: undefined if there is none. */
export async function errorOf(response: Response | undefined): Promise<Error> {
  if (response === undefined) return new Error('The BFF isn’t responding. Is it running?');
  const body = (await response.json().catch(() => undefined)) as { error?: string } | undefined;
  return new Error(body?.error ?? `The BFF returned ${response.status}.`);
}

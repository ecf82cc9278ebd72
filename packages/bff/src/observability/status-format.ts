/** A duration for people, in one unit, or two dashes where there is none. */
export function durationWords(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return '–';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  return ms < 172_800_000 ? `${Math.round(ms / 3_600_000)} h` : `${Math.round(ms / 86_400_000)} d`;
}

/** A count for people. */
export function countWords(count: number): string {
  return new Intl.NumberFormat('en').format(Math.round(count));
}

/** What a trouble means, by its public code. */
export const DEGRADATION_TEXTS: Readonly<Record<string, string>> = {
  upstream_auth: 'The service refuses the key. Make a new one, or give it the scopes it lacks.',
  upstream_rate_limited: 'The service asks for a pause: the window of the key is used up.',
  redis_lost:
    'Redis is lost. Readers are answered; this instance makes few calls, out of its own share, until it is back.',
  upstream_unavailable: 'The service does not answer. Readers see the last good pulses.',
};

/** Text made safe to stand in HTML, between tags or in quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

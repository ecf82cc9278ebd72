import { BENCH_KEY } from '../upstream/recording-upstream.ts';

/** What the other user asks for, so that its calls can be told from the BFF's. */
export const OTHER_PATH = '/v1/openapi.yaml';

/** Someone else who uses the same key, evenly, and does not care about the limit. */
export function startOtherUser(baseUrl: string, perMinute: number): { stop(): void } {
  if (perMinute === 0) return { stop: () => undefined };
  const timer = setInterval(() => void callOnce(baseUrl), 60_000 / perMinute);
  return { stop: () => clearInterval(timer) };
}

async function callOnce(baseUrl: string): Promise<void> {
  // Whatever comes of it stands in the upstream's record.
  await fetch(baseUrl + OTHER_PATH, { headers: { 'X-API-Key': BENCH_KEY } }).then(
    (answer) => answer.arrayBuffer(),
    () => undefined,
  );
}

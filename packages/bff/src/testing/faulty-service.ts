import { fullPulse } from '@pulse-card/contract/examples';
import { createFakeUpstream, type FakeFailure, type FakeUpstream, pulseOf, type SeenCall } from './fake-upstream.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The limit for a key in the specification. */
const LIMIT = 60;
const WINDOW_MS = 60_000;

const LIMITED: FakeFailure = { kind: 'rate-limited', retryAfterMs: undefined };
const SERVER_ERROR: FakeFailure = { kind: 'server-error', status: 500 };
const PAGE = '<!doctype html><title>Not here</title>';

/** Errors that affect every call, with their answers. */
const FAILURES = {
  'refuses-connections': { kind: 'unreachable' },
  'never-answers': 'hangs',
  'server-error': SERVER_ERROR,
  limited: LIMITED,
  'foreign-limited': { kind: 'foreign', status: 429, body: PAGE, headers: { 'Retry-After': '7' } },
  'gateway-error': { kind: 'foreign', status: 502, body: PAGE },
  'html-200': { kind: 'foreign', status: 200, body: PAGE },
  'firewall-403': { kind: 'foreign', status: 403, body: PAGE },
  'login-401': { kind: 'foreign', status: 401, body: PAGE },
  'html-404': { kind: 'foreign', status: 404, body: PAGE },
  'fastify-404': { kind: 'foreign', status: 404, body: { statusCode: 404, error: 'Not Found', message: 'No route' } },
  'spring-404': { kind: 'foreign', status: 404, body: { timestamp: '2026-05-08', status: 404, error: 'Not Found' } },
} as const satisfies Record<string, FakeFailure>;

/** Errors that affect only calls for the first source. */
const FAILURES_OF_ONE = {
  'one-source-fails': SERVER_ERROR,
  'one-source-is-odd': { kind: 'foreign', status: 200, body: { pulse: { ...fullPulse, sourceId: 'src_other' } } },
} as const satisfies Record<string, FakeFailure>;

export type ServiceFault = keyof typeof FAILURES | keyof typeof FAILURES_OF_ONE | 'odd-rows' | 'odd-headers';

/** Errors from the service, or from the network between the service and the BFF. */
export const SERVICE_FAULTS = [...keysOf(FAILURES), ...keysOf(FAILURES_OF_ONE), 'odd-rows', 'odd-headers'] as const;

/** Rate-limit headers that a gateway may write instead of the service. */
const ODD_RATES = [
  { limit: 1, remaining: 0, resetInMs: 4e12 },
  { limit: 0, remaining: 0, resetInMs: undefined },
  { limit: 10, remaining: 10, resetInMs: undefined },
  { limit: 60, remaining: NaN, resetInMs: -1e12 },
  { limit: 1_000, remaining: 1e20, resetInMs: undefined },
];

/**
 * The service with a sliding window and with pulses that change every twenty seconds. `accounts`: the account of each
 * key.
 */
export function createFaultyService(
  clock: VirtualClock,
  sourceIds: readonly string[],
  accounts: Readonly<Record<string, string>>,
) {
  const faults = new Map<ServiceFault, number>();
  const has = (fault: ServiceFault): boolean => (faults.get(fault) ?? 0) > 0;
  const count = (fault: ServiceFault, by: number): void => void faults.set(fault, (faults.get(fault) ?? 0) + by);
  const fake: FakeUpstream = createFakeUpstream(clock, sourceIds);
  const used = ({ at }: SeenCall): number => fake.calls.filter((call) => at - call.at < WINDOW_MS).length;

  fake.failure = (call) => {
    fake.unreadableRows = has('odd-rows') ? 4 : 0;
    for (const fault of keysOf(FAILURES)) if (has(fault)) return FAILURES[fault];
    if (used(call) > LIMIT) return LIMITED;
    if (call.about !== sourceIds[0]) return undefined;
    for (const fault of keysOf(FAILURES_OF_ONE)) if (has(fault)) return FAILURES_OF_ONE[fault];
    return undefined;
  };
  fake.rate = (call) => {
    const failure = fake.failure(call);
    if (has('odd-headers') || (typeof failure === 'object' && failure.kind === 'foreign'))
      return ODD_RATES[fake.calls.length % ODD_RATES.length];
    const remaining = failure === LIMITED ? 0 : Math.max(0, LIMIT - used(call));
    return { limit: LIMIT, remaining, resetInMs: WINDOW_MS };
  };

  return {
    calls: fake.calls,
    begin: (fault: ServiceFault) => count(fault, 1),
    end: (fault: ServiceFault) => count(fault, -1),
    /** The `fetch` of a process. Its promises never settle once the process is dead. */
    fetchOf:
      (isAlive: () => boolean): typeof globalThis.fetch =>
      async (input, init) => {
        fake.account = accounts[new Headers(init?.headers).get('X-API-Key') ?? ''];
        for (const id of sourceIds)
          fake.pulses.set(id, pulseOf(id, `${fake.account}.${id}.${Math.floor(clock.now() / 20_000)}`));
        try {
          return await fake.fetch(input, init);
        } finally {
          if (!isAlive()) await new Promise(() => {});
        }
      },
  };
}

export type FaultyService = ReturnType<typeof createFaultyService>;

function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(table) as Key[];
}

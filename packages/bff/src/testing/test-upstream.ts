import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Pulse, Source } from '@pulse-card/contract';

/** How a request fails: the connection is cut, or the service returns 503, 401, or 429, or doesn't respond. */
export type TestFailure = 'unreachable' | 'unavailable' | 'key_refused' | 'rate_limited' | 'hanging';

/** The account behind the key. */
export interface TestAccount {
  /** The sources or their IDs. Missing fields get default values. @default one: `src_1` */
  readonly sources?: readonly (string | (Partial<Source> & { readonly id: string }))[];
  /** The latest pulse of each source that has one. Missing fields have defaults. @default one for each source */
  readonly pulses?: readonly (Partial<Pulse> & { readonly sourceId: string })[];
}

/** A fake service in this process, for testing an application that mounts the BFF. */
export interface TestUpstream extends AsyncDisposable {
  /** Its URL, on a free loopback port. */
  readonly url: string;
  /**
   * Variables for `createPulseBff` or for `pulse-bff`'s environment: the URL, the key, and short intervals for tests.
   */
  readonly variables: Readonly<Record<string, string>>;
  /** The requested paths, in order. */
  readonly requests: readonly string[];
  /** Makes all requests fail from now on, or only requests for one source's pulse. */
  fail(failure: TestFailure, sourceId?: string): void;
  /** Ends all failures. */
  recover(): void;
  /** Delivers a source's next pulse. */
  deliver(pulse: Partial<Pulse> & { readonly sourceId: string }): void;
  close(): Promise<void>;
}

const KEY = 'key-of-a-test';

const ORGANIZATION = { organizationId: 'org_1', organizationName: 'Acme', organizationSlug: 'acme' };

/** Starts a fake service with these sources and pulses. */
export async function startTestUpstream({ sources = ['src_1'], pulses }: TestAccount = {}): Promise<TestUpstream> {
  const listed = sources.map((source) => sourceOf(typeof source === 'string' ? { id: source } : source));
  const latest = new Map(
    (pulses ?? listed.map(({ id, name }) => ({ sourceId: id, sourceName: name }))).map((pulse) => [
      pulse.sourceId,
      pulseOf(pulse),
    ]),
  );
  const requests: string[] = [];
  const failures = new Map<string | undefined, TestFailure>();

  // A busy client could use an idle connection at the moment that the server closes it.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const { url = '' } = request;
    requests.push(url);
    const id = /^\/v1\/sources\/([^/]+)\/pulse$/.exec(url)?.[1];
    const failure = failures.get(undefined) ?? failures.get(id ?? '');
    if (failure) return fail(failure, response);
    if (request.headers['x-api-key'] !== KEY) return fail('key_refused', response);
    const meta = { account: { id: 'acc_1', email: 'owner@acme.test' }, requestedAt: new Date().toISOString() };
    const pulse = latest.get(id ?? '');
    if (url === '/v1/sources') sendJson(response, 200, { meta, sources: listed.slice(0, 10) });
    else if (pulse) sendJson(response, 200, { meta, pulse });
    else sendJson(response, 404, { success: false, error: 'No pulse found for this source' });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  };
  return {
    url,
    variables: {
      PULSE_BASE_URL: url,
      PULSE_API_KEY: KEY,
      // The window is short, because a BFF spreads its first calls over the window.
      PULSE_RATE_LIMIT: '10000',
      PULSE_RATE_WINDOW_MS: '1000',
      PULSE_FRESH_MS: '100',
      LOG_LEVEL: 'silent',
    },
    requests,
    fail: (failure, sourceId) => void failures.set(sourceId, failure),
    recover: () => failures.clear(),
    deliver: (pulse) => void latest.set(pulse.sourceId, pulseOf(pulse)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function sourceOf(fields: Partial<Source> & { readonly id: string }): Source {
  return {
    name: 'Q2 revenue',
    provider: 'GOOGLE',
    status: 'ACTIVE',
    link: 'https://dashboard.example.com/',
    connectionCount: 1,
    ...ORGANIZATION,
    ...fields,
  };
}

function pulseOf(fields: Partial<Pulse> & { readonly sourceId: string }): Pulse {
  return {
    jobRunId: 'run_1',
    sourceName: 'Q2 revenue',
    status: 'SUCCESS',
    completedAt: new Date().toISOString(),
    imageUrl: null,
    aiSummaryShort: 'Revenue rose 12% in the second quarter.',
    aiSummaryLong: 'Revenue rose **12%** in the second quarter.\n\n- North: +18%\n- South: +4%',
    deliveryLink: null,
    ...ORGANIZATION,
    ...fields,
  };
}

const REFUSALS = {
  unavailable: [503, 'Service unavailable'],
  key_refused: [401, 'Invalid or expired API key'],
  rate_limited: [429, 'Too many requests'],
} as const;

function fail(failure: TestFailure, response: ServerResponse): void {
  if (failure === 'hanging') return;
  if (failure === 'unreachable') return void response.destroy();
  const [status, error] = REFUSALS[failure];
  sendJson(response, status, { success: false, error });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}

import type { TestContext } from 'node:test';
import { isSourceId } from '@pulse-card/contract';
import { activeSource, bareSource, fullPulse } from '@pulse-card/contract/examples';
import { AUDIENCE, KEYS_FILE } from '../../../token/src/testing/forged-tokens.ts';
import { openReaders } from '../bff.ts';
import { readConfig } from '../config.ts';
import type { History } from '../features/history/history.ts';
import { NO_RHYTHM } from '../features/history/rhythm.ts';
import { openImages } from '../features/images/images.ts';
import { openTokens } from '../features/tokens/tokens.ts';
import { createApp, listenerOf } from '../http/app.ts';
import type { RequestRecord } from '../http/locals.ts';
import type { SnapshotWithPulse } from '../http/public-fields.ts';
import { systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { AllowedSources, Hit, Lookup, Pulses, SourceList, SourceSnapshot } from '../pulses/pulses.ts';
import { serve } from './serve.ts';
import { temporaryFolder } from './temporary-folder.ts';

const REQUESTED_AT_MS = Date.parse('2026-05-08T09:05:00.000Z');

export const cardWithPulse: SnapshotWithPulse = {
  sourceId: 'src_1',
  pulse: fullPulse,
  source: activeSource,
  requestedAtMs: REQUESTED_AT_MS,
};

export const cardWithoutPulse: SourceSnapshot = {
  sourceId: 'src_bare',
  pulse: null,
  source: bareSource,
  requestedAtMs: REQUESTED_AT_MS + 1_000,
};

const LIST: SourceList = {
  value: { rows: [activeSource, bareSource], unreadableRows: 0 },
  requestedAtMs: REQUESTED_AT_MS,
};

/** A value from the cache that is two seconds old. */
export function hit<Value>(value: Value): Hit<Value> {
  return { ok: true, value, isStale: false, ageMs: 2_400, cache: 'hit', staleForMs: 86_400_000 };
}

/** A stale value from the cache. */
export function staleHit<Value>(value: Value): Hit<Value> {
  return { ...hit(value), isStale: true, ageMs: 42_000 };
}

/** Pulses with content supplied by the test. */
export class FakePulses implements Pick<Pulses, 'read' | 'readList' | 'cached'> {
  readonly found = new Map<string, Lookup<SourceSnapshot>>([
    ['src_1', hit(cardWithPulse)],
    ['src_bare', hit(cardWithoutPulse)],
  ]);
  list: Lookup<SourceList> = hit(LIST);
  readonly ids = {
    allow: () => {},
    has: (id: string, allowed: AllowedSources) => typeof allowed === 'string' || allowed.has(id),
  };
  readonly viewers: (string | null)[] = [];

  async read(id: string, allowed: AllowedSources, viewer: string | null): Promise<Lookup<SourceSnapshot>> {
    this.viewers.push(viewer);
    return this.cached(id, allowed);
  }

  async readList(): Promise<Lookup<SourceList>> {
    return this.list;
  }

  cached(id: string, allowed: AllowedSources): Lookup<SourceSnapshot> {
    if (!isSourceId(id)) return { ok: false, code: 'invalid_source_id' };
    if (!this.ids.has(id, allowed)) return { ok: false, code: 'token_forbidden' };
    return this.found.get(id) ?? { ok: false, code: 'source_unknown' };
  }
}

/** The variables of an application that accepts tokens signed with a key from `KEYS_FILE`. */
export const tokenVariables = { PULSE_ACCESS: 'token', PULSE_TOKEN_KEYS_FILE: 'keys.json', PULSE_PUBLIC_URL: AUDIENCE };

const LOG = { logger: { warn: () => {} }, warn: () => true, info: () => {}, fault: () => {} } as unknown as Log;

/** Serves the routes over HTTP, with pulses that a test sets. */
export async function serveApp(variables: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const keysFile = folder.file('keys.json', KEYS_FILE);
  const keys = variables['PULSE_TOKEN_KEYS_FILE'] && { PULSE_TOKEN_KEYS_FILE: keysFile };
  const required = { PULSE_API_KEY: 'a-key-that-is-one', PULSE_BASE_URL: 'https://pulses.test' };
  const config = readConfig({ ...required, ...variables, ...keys });
  const opening = {
    config,
    log: LOG,
    clock: systemClock,
    mount: {},
    ownsProcess: false,
    keep: <Part>(part: Part) => part,
  };
  const key = { name: 'key', derive: () => Buffer.alloc(32, 1), onChange: () => () => {} };
  const images = openImages({ ...opening, key });
  const tokens = await openTokens(config, opening);
  const history: Pick<History, 'rhythmOf' | 'pulseOfRun'> = {
    rhythmOf: () => NO_RHYTHM,
    pulseOfRun: () => undefined,
  };
  const pulses = new FakePulses();
  const known = { tokens, images, withheld: undefined, history: history as History };
  const { parts } = openReaders(opening, { ...known, pulses: pulses as unknown as Pulses }, undefined);
  const [records, faults]: [RequestRecord[], unknown[]] = [[], []];
  const router = createApp({
    ...parts,
    recorders: [(record) => void records.push(record)],
    whyNotReady: () => undefined,
    isStopping: () => false,
    onFault: (fault) => void faults.push(fault),
  });
  const server = await serve(listenerOf(router));
  const ask = async (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') => {
    const response = await fetch(server.url + path, { method, headers });
    const of = (name: string) => response.headers.get(name) ?? '';
    return { status: response.status, of, text: await response.text() };
  };
  return {
    url: server.url,
    /** Sends a request. `of()` in the response returns a header. */
    ask,
    pulses,
    images,
    history,
    records,
    faults,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      tokens?.close();
      folder.remove();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Serves the routes until the test ends. */
export async function appFor(t: TestContext, variables: Readonly<Record<string, string>> = {}) {
  const app = await serveApp(variables);
  t.after(() => app[Symbol.asyncDispose]());
  return app;
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSourceId } from '@pulse-card/contract';
import { activeSource, bareSource, fullPulse } from '@pulse-card/contract/examples';
import type { Request, Response } from 'express';
import { AUDIENCE, KEYS_FILE } from '../../../token/src/testing/forged-tokens.ts';
import { readConfig } from '../config.ts';
import { openEmbed } from '../features/embed/embed.ts';
import { oembed } from '../features/embed/oembed.ts';
import { apiDescription, serveFiles } from '../features/files/files.ts';
import { NO_RHYTHM } from '../features/history/rhythm.ts';
import { sendImage } from '../features/images/image-route.ts';
import { openImages } from '../features/images/images.ts';
import { openTokens } from '../features/tokens/tokens.ts';
import { createApp } from '../http/app.ts';
import { openClientLimit } from '../http/client-limit.ts';
import { ApiError } from '../http/errors.ts';
import type { RequestRecord } from '../http/locals.ts';
import { originPolicy } from '../http/origins.ts';
import { PublicFields } from '../http/public-fields.ts';
import { Bodies } from '../http/send.ts';
import { systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { AllowedSources, Hit, Lookup, Pulses, SourceList, SourceSnapshot } from '../pulses/pulses.ts';

const REQUESTED_AT_MS = Date.parse('2026-05-08T09:05:00.000Z');

export const cardWithPulse: SourceSnapshot = {
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

const LIST: SourceList = { sources: [activeSource, bareSource], unreadableRows: 0, requestedAtMs: REQUESTED_AT_MS };

/** A value from the cache that is two seconds old. */
export function hit<Value>(value: Value): Hit<Value> {
  return { ok: true, value, isStale: false, ageMs: 2_400, cache: 'hit', staleForMs: 86_400_000 };
}

/** A stale value from the cache. */
export function staleHit<Value>(value: Value): Hit<Value> {
  return { ...hit(value), isStale: true, ageMs: 42_000 };
}

/** Pulses with content supplied by the test. */
export class FakePulses implements Pick<Pulses, 'read' | 'readList' | 'cached' | 'allow' | 'isKnown'> {
  readonly found = new Map<string, Lookup<SourceSnapshot>>([
    ['src_1', hit(cardWithPulse)],
    ['src_bare', hit(cardWithoutPulse)],
  ]);
  list: Lookup<SourceList> = hit(LIST);
  readonly allowed = new Set<string>();
  readonly viewers: (string | null | undefined)[] = [];

  async read(id: string, allowed: AllowedSources, viewer?: string | null): Promise<Lookup<SourceSnapshot>> {
    this.viewers.push(viewer);
    return this.cached(id, allowed);
  }

  async readList(): Promise<Lookup<SourceList>> {
    return this.list;
  }

  cached(id: string, allowed: AllowedSources): Lookup<SourceSnapshot> {
    if (!isSourceId(id)) return { ok: false, code: 'invalid_source_id' };
    if (typeof allowed !== 'string' && !allowed.has(id)) return { ok: false, code: 'token_forbidden' };
    return this.found.get(id) ?? { ok: false, code: 'source_unknown' };
  }

  allow(ids: Iterable<string>): void {
    for (const id of ids) this.allowed.add(id);
  }

  isKnown(id: string): boolean {
    return this.found.has(id);
  }
}

/** The variables of an application that accepts tokens signed with a key from `KEYS_FILE`. */
export const tokenVariables = { PULSE_ACCESS: 'token', PULSE_TOKEN_KEYS_FILE: 'keys.json', PULSE_PUBLIC_URL: AUDIENCE };

const LOG = { logger: { warn: () => {} }, warn: () => true, info: () => {}, fault: () => {} } as unknown as Log;

/** Serves the routes over HTTP, with pulses that a test sets. */
export async function serveApp(variables: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'served-app-'));
  writeFileSync(join(folder, 'keys.json'), KEYS_FILE);
  const keys = variables['PULSE_TOKEN_KEYS_FILE'] && { PULSE_TOKEN_KEYS_FILE: join(folder, 'keys.json') };
  const required = { PULSE_API_KEY: 'a-key-that-is-one', PULSE_BASE_URL: 'https://pulses.test' };
  const config = readConfig({ ...required, ...variables, ...keys });
  const clock = systemClock;
  const key = { name: 'key', derive: () => Buffer.alloc(32, 1), onChange: () => () => {} };
  const images = openImages({ config, key, clock, log: LOG, usesProxy: () => false });
  const tokens = await openTokens(config, { log: LOG, clock });
  const history = { rhythmOf: () => NO_RHYTHM, pulseOfRun: () => undefined };
  const fields = new PublicFields({
    expose: config.expose,
    images,
    history,
    withheld: undefined,
  });
  const origins = originPolicy(config.allowedOrigins, config.publicUrl);
  const pulses = new FakePulses();
  const data = {
    config,
    pulses: pulses as unknown as Pulses,
    fields,
    bodies: new Bodies([images.signer]),
    images,
    history,
  };
  const [records, faults]: [RequestRecord[], unknown[]] = [[], []];
  const onFault = (fault: unknown): void => void faults.push(fault);
  const router = createApp({
    ...data,
    origins,
    checks: tokens ? [images.orSigned((req) => tokens.check(req))] : [],
    recorders: [(record) => void records.push(record)],
    clients: openClientLimit(config),
    whyNotReady: () => undefined,
    stop: { hasBegun: false },
    onFault,
    files: serveFiles(undefined, config),
    apiDescription: apiDescription(config),
    image: sendImage(data),
    runs: () => {
      throw new ApiError('not_found');
    },
    oembed: oembed({ ...data, origins }),
    ...openEmbed({ ...data, scriptHash: undefined }),
  });
  // A busy client could use an idle connection at the moment that the server closes it.
  const server = createServer({ keepAliveTimeout: 0 }, (req, res) =>
    router(req as Request, res as Response, () => res.destroy()),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pulses,
    records,
    faults,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      tokens?.close();
      rmSync(folder, { recursive: true });
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

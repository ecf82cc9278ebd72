import { createSecretKey } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createApp } from '../app.ts';
import { readTokenKeys } from '../access/token-keys.ts';
import { systemClock } from '../clock.ts';
import { readConfig, type Variables } from '../config.ts';
import type { Answered } from '../http/exchange.ts';
import { createHardServer } from '../http/hard-server.ts';
import { PreparedBody } from '../http/prepared-body.ts';
import type { Unreadiness } from '../http/probes-route.ts';
import type { WidgetFiles } from '../http/widget-files.ts';
import type { LiveStreams } from '../live/live-streams.ts';
import { listenerOf } from '../listener.ts';
import { FakeCache } from './fake-cache.ts';
import { AUDIENCE, KEYS_FILE } from './forged-tokens.ts';

const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

/** A widget that was built into one line. */
export const widget: WidgetFiles = {
  script: new PreparedBody('export const card = true;'.repeat(20), SCRIPT_TYPE),
  hash: '0123456789abcdef',
  served: new Map([
    ['pulse-card-fedcba9876543210.css', new PreparedBody('article{margin:0}', 'text/css; charset=utf-8')],
    ['pulse-frame.js', new PreparedBody('export {};', SCRIPT_TYPE)],
    ['pulse-frame-page.js', new PreparedBody('export {};', SCRIPT_TYPE)],
  ]),
  languages: new Map([
    ['de-0.1.0.json', new PreparedBody('{"retry":"Noch einmal"}', 'application/json; charset=utf-8')],
  ]),
};

/** The application over HTTP, in front of a cache that a test fills. */
export interface ServedApp extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly cache: FakeCache;
  readonly answered: Answered[];
  readonly faults: unknown[];
  readonly live: LiveStreams;
  unreadiness: Unreadiness | undefined;
  isStopping: boolean;
  /** Requests that came through a proxy while none is trusted. */
  untrustedProxies: number;
}

/** The variables of an application that takes tokens; its ring is that of `KEYS_FILE`. */
export const tokenVariables: Variables = {
  PULSE_ACCESS: 'token',
  PULSE_TOKEN_KEYS_FILE: 'keys.json',
  PULSE_PUBLIC_URL: AUDIENCE,
};

export async function serveApp(variables: Variables = {}): Promise<ServedApp> {
  const config = readConfig({
    PULSE_API_KEY: 'a-key-that-is-one',
    PULSE_BASE_URL: 'https://pulses.test',
    ...variables,
  });
  const server = createHardServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const served: ServedApp = {
    url: `http://127.0.0.1:${port}`,
    port,
    cache: new FakeCache(),
    answered: [],
    faults: [],
    unreadiness: undefined,
    isStopping: false,
    untrustedProxies: 0,
    get live() {
      return app.live;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  const ring = readTokenKeys(KEYS_FILE);
  const secrets = [createSecretKey(Buffer.alloc(32, 1))];
  const app = createApp({
    config,
    clock: systemClock,
    widget,
    cache: served.cache,
    tokenRing: () => ring,
    imageSecrets: () => secrets,
    unreadiness: () => served.unreadiness,
    isStopping: () => served.isStopping,
    onAnswered: (answered) => served.answered.push(answered),
    onFault: (fault) => served.faults.push(fault),
    onUntrustedProxy: () => void (served.untrustedProxies += 1),
  });
  server.on('request', listenerOf(app));
  return served;
}

import type { IncomingMessage, RequestListener } from 'node:http';
import { checkedAuthorize } from '../features/mount/checked-authorize.ts';
import { applicationGrant } from '../features/mount/mount.ts';
import { namedClient } from '../features/mount/named-client.ts';
import { tokenVariables as tokenKeysVariables } from '../features/tokens/token-keys-file.ts';
import { tokenGrant } from '../features/tokens/token-grant.ts';
import type { Grant } from '../http/authorizer.ts';
import { originsOf } from '../lib/ip-address.ts';
import { createApp } from '../http/handler.ts';
import { parseTokenKeys, TokenVerifier } from '@pulse-card/token';
import { type Clock, systemClock } from '../lib/clock.ts';
import { type Config, readConfig } from '../config/config.ts';
import type { Variables } from '../config/variables.ts';
import type { ReadinessFailure, ResponseRecord } from '../http/request-context.ts';
import { HardenedServer } from '../http/server.ts';
import { Representation } from '../http/representation.ts';
import type { Core } from '../feature.ts';
import { embedFeature } from '../features/embed/embed.ts';
import { imagesFeature } from '../features/images/images.ts';
import { imageVariables } from '../features/images/variables.ts';
import { FeatureSet } from '../feature-set.ts';
import { readDescription } from '../features/files/api-description.ts';
import { fileRoutes } from '../features/files/file-routes.ts';
import type { WidgetFiles } from '../http/widget-files.ts';
import { FakeCache } from './fake-cache.ts';
import { AUDIENCE, KEYS_FILE } from '../../../token/src/testing/forged-tokens.ts';
import { serve } from './serve.ts';

const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

const script = new Representation('export const card = true;'.repeat(20), SCRIPT_TYPE);

/** A stand-in for the built widget, with one-line files. */
export const widget: WidgetFiles = {
  hash: '0123456789abcdef',
  integrity: 'sha384-UDeFWWcs9Wm2ukEUz4p6umSGf+wHeM2bcXyHuHkAhtNic8Ak1BL7OWpKd6C5NQrW',
  publishedUrl: 'https://cdn.jsdelivr.net/npm/@pulse-card/widget@0.1.0/dist/pulse-card.js',
  byPath: new Map([
    ['/pulse-card.js', script],
    ['/pulse-card-0123456789abcdef.js', script],
    ['/pulse-card-after-paint-aaaabbbbccccdddd.js', new Representation('export {};', SCRIPT_TYPE)],
    ['/pulse-card-extras-aaaabbbbccccdddd.js', new Representation('export {};', SCRIPT_TYPE)],
    ['/pulse-card-fedcba9876543210.css', new Representation('article{margin:0}', 'text/css; charset=utf-8')],
    ['/pulse-frame.js', new Representation('export {};', SCRIPT_TYPE)],
    ['/pulse-frame-page.js', new Representation('export {};', SCRIPT_TYPE)],
    ['/pulse-icon.svg', new Representation('<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml')],
    [
      '/pulse-card-lang/de-0.1.0.json',
      new Representation('{"retry":"Noch einmal"}', 'application/json; charset=utf-8'),
    ],
  ]),
};

/** The variables of an application that accepts tokens signed with a key from `KEYS_FILE`. */
export const tokenVariables: Variables = {
  PULSE_ACCESS: 'token',
  PULSE_TOKEN_KEYS_FILE: 'keys.json',
  PULSE_PUBLIC_URL: AUDIENCE,
};

/** A key for the features of an application that makes no calls. */
const KEY = { keyName: () => 'key', deriveSecret: () => Buffer.alloc(32, 1), onKeyChange: () => {} };

/** The parts of the application for charts and pages for frames. */
export async function pagesAndCharts(config: Config, clock: Clock) {
  const features = new FeatureSet();
  const core = { ...KEY, config, clock, warn: () => true, features: features.list } as Partial<Core> as Core;
  await features.open([imagesFeature, embedFeature], core);
  const { list } = features;
  return {
    additions: features.additions(),
    routes: list.flatMap(({ routes = [] }) => routes),
    chartUrls: list.find(({ chartUrls }) => chartUrls)?.chartUrls,
  };
}

/** The functions that an application passes to the mounted BFF. */
interface HostFunctions {
  readonly authorize?: (request: IncomingMessage) => unknown;
  readonly clientKey?: (request: IncomingMessage) => unknown;
}

/** Serves the application over HTTP, with a cache that a test fills. */
export async function serveApp(variables: Variables = {}, host: HostFunctions = {}) {
  const config = readConfig(
    {
      PULSE_API_KEY: 'a-key-that-is-one',
      PULSE_BASE_URL: 'https://pulses.test',
      ...variables,
    },
    { ...tokenKeysVariables, ...imageVariables },
  );
  const served = {
    ...(await serve((request, response) => app.handle(request, response), new HardenedServer())),
    handleOperator: ((request, response) => app.handleOperator(request, response)) satisfies RequestListener,
    cache: new FakeCache(),
    answered: [] as ResponseRecord[],
    faults: [] as unknown[],
    /** Lines about errors in `authorize` and `clientKey`. */
    hostFaults: [] as string[],
    readinessFailure: undefined as ReadinessFailure | undefined,
  };
  const keySet = await parseTokenKeys(KEYS_FILE);
  const pages = await pagesAndCharts(config, systemClock);
  const files = new Map([...widget.byPath, ['/v1/openapi.yaml', readDescription(config)] as const]);
  const onHostFault = (message: string): void => void served.hostFaults.push(message);
  const verifier = new TokenVerifier({ keySet: () => keySet, audience: config.publicUrl, wallNow: Date.now });
  const ownOrigins = originsOf(config.publicUrl);
  const byToken = tokenGrant({ verifier, signedUrls: () => pages.chartUrls?.signed, ownOrigins });
  const grants: Grant[] = [
    ...(config.access === 'token' ? [byToken] : []),
    ...(host.authorize ? [applicationGrant(checkedAuthorize(host.authorize), onHostFault)] : []),
  ];
  const app = createApp({
    config,
    ...pages,
    routes: [...fileRoutes(files), ...pages.routes],
    clock: systemClock,
    widget,
    cache: served.cache,
    grants,
    readinessFailure: () => served.readinessFailure,
    lifecycle: { isStopping: false },
    recorders: [(answered) => void served.answered.push(answered)],
    nameClient: host.clientKey && namedClient(host.clientKey, onHostFault),
    onFault: (fault) => served.faults.push(fault),
  });
  return served;
}

export type ServedApp = Awaited<ReturnType<typeof serveApp>>;

import type { KeyObject } from 'node:crypto';
import type { Router } from 'express';
import { clientNamer, untrustedProxyTest } from './access/client-address.ts';
import { ClientRate } from './access/client-rate.ts';
import { ImageCapabilities } from './access/image-capabilities.ts';
import { OriginRule } from './access/origins.ts';
import { type TokenVerifierParts, TokenVerifier } from './access/token-verifier.ts';
import type { PulseCache } from './cache/port.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { errorPageOf, keptPages } from './embed/embed-route.ts';
import { keptAnswers } from './embed/oembed-route.ts';
import { admission } from './http/admission.ts';
import { BatchBodies } from './http/batch-bodies.ts';
import type { OnAnswered } from './http/exchange.ts';
import { createFront, type Handler } from './http/front.ts';
import { createImageProxy } from './http/image-proxy.ts';
import { proxiedImageUrl } from './http/image-route.ts';
import { ImageStore } from './http/image-store.ts';
import { PreparedBody } from './http/prepared-body.ts';
import type { Unreadiness } from './http/probes-route.ts';
import type { Exposure } from './http/public-pulse.ts';
import { PulseBodies } from './http/pulse-bodies.ts';
import { createRoutes } from './http/routes.ts';
import { SourceListBodies } from './http/sources-route.ts';
import { type TokenGate, tokenGate } from './http/token-gate.ts';
import { type WidgetFiles, widgetPaths } from './http/widget-files.ts';
import { LiveStreams } from './live/live-streams.ts';
import { descriptionYaml } from './openapi/description.ts';

/** Asked by the platform, as often as it likes. */
const PROBE_PATHS = ['/healthz', '/readyz'];

/** What the application is made of. */
export interface AppParts {
  readonly config: Config;
  readonly cache: PulseCache;
  readonly clock: Clock;
  readonly widget: WidgetFiles | undefined;
  /** The keys of tokens; needed where access is by token. */
  readonly tokenRing?: TokenVerifierParts['ring'] | undefined;
  /** Secrets that the addresses of charts are signed with. */
  readonly imageSecrets: () => readonly KeyObject[];
  readonly unreadiness: () => Unreadiness | undefined;
  readonly isStopping: () => boolean;
  readonly onAnswered: OnAnswered;
  readonly onFault: (fault: unknown) => void;
  /** Called for each request that came through a proxy which `TRUST_PROXY` does not name. */
  readonly onUntrustedProxy: () => void;
}

/** The application: a handler in front, the routes behind it, and the streams that they open. */
export interface App {
  readonly front: Handler;
  readonly routes: Router;
  readonly live: LiveStreams;
}

/** Puts the application together. */
export function createApp(parts: AppParts): App {
  const { config, cache, clock, onAnswered, onFault } = parts;
  const capabilities = capabilitiesOf(parts);
  const origins = new OriginRule(config.allowedOrigins, config.publicUrl);
  const exposure = exposureOf(config, capabilities);
  const pulses = {
    cache,
    bodies: new PulseBodies(exposure),
    batches: new BatchBodies(),
    lifetimes: config,
    wallNow: () => clock.wallNow(),
  };
  const nameOfClient = clientNamer(config.proxyTrust);
  const live = new LiveStreams({
    cache,
    clock,
    bodyOf: (card, stale) => pulses.bodies.answer(card, stale).in('identity').bytes,
    onFault,
  });
  const admit = admission({
    origins,
    tokenGate: gateOf(parts, origins, capabilities),
    clientRate: config.clientRatePerMinute === 0 ? undefined : new ClientRate(config.clientRatePerMinute),
    nameOfClient,
    wallNow: () => clock.wallNow(),
    isStopping: parts.isStopping,
    uncounted: new Set([...PROBE_PATHS, ...(parts.widget === undefined ? [] : widgetPaths(parts.widget))]),
    cacheScope: config.cacheScope,
    cameByUntrustedProxy: untrustedProxyTest(config.proxyTrust),
    onUntrustedProxy: parts.onUntrustedProxy,
  });
  const { publicUrl, allowedOrigins } = config;
  const server = { publicUrl, allowedOrigins, ownOrigins: origins.own, scriptHash: parts.widget?.hash };
  const embed = { cache, exposure, lifetimes: config, server };
  const routes = createRoutes({
    images: {
      cache,
      lifetimes: config,
      proxy: config.images === 'proxy' ? { hosts: config.imageHosts, store: storeOf(clock) } : undefined,
    },
    events: { cache, live, nameOfClient, wallNow: () => clock.wallNow() },
    embed: { ...embed, pages: keptPages() },
    oembed: { ...embed, answers: keptAnswers() },
    sources: { cache, bodies: new SourceListBodies(exposure), lifetimes: config },
    widget: parts.widget,
    description: new PreparedBody(descriptionYaml(config), 'application/yaml; charset=utf-8'),
    takesTokens: config.access === 'token',
    unreadiness: parts.unreadiness,
    onFault,
  });
  return { front: createFront({ admit, pulses, errorPage: errorPageOf(server), onAnswered, onFault }), routes, live };
}

function storeOf(clock: Clock): ImageStore {
  return new ImageStore({ fetchImage: createImageProxy(), clock });
}

function exposureOf(config: Config, capabilities: ImageCapabilities | undefined): Exposure {
  const { expose, images } = config;
  if (images === 'direct') return { expose, imageUrlOf: ({ imageUrl }) => imageUrl };
  return {
    expose,
    imageUrlOf: (pulse) => proxiedImageUrl(pulse, { ...config, capabilities }),
    imagePeriod: () => capabilities?.period() ?? 0,
  };
}

function capabilitiesOf({ config, clock, imageSecrets }: AppParts): ImageCapabilities | undefined {
  if (config.access === 'public' || config.images === 'direct') return undefined;
  return new ImageCapabilities({ secrets: imageSecrets, wallNow: () => clock.wallNow() });
}

function gateOf(
  { config, clock, tokenRing }: AppParts,
  { own: ownOrigins }: OriginRule,
  images: ImageCapabilities | undefined,
): TokenGate | undefined {
  if (config.access === 'public') return undefined;
  if (tokenRing === undefined)
    throw new Error('Cannot let anyone in: access is by token, and there are no keys of them');
  const wallNow = (): number => clock.wallNow();
  const verifier = new TokenVerifier({ ring: tokenRing, audience: config.publicUrl, wallNow });
  return tokenGate({ verifier, images, ownOrigins });
}

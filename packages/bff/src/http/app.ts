import type { KeyObject } from 'node:crypto';
import type { Router } from 'express';
import { clientKeyResolver, untrustedProxyTest, ClientRateLimiter } from '../auth/client-rate-limiter.ts';
import { ImageUrlSigner } from '../auth/image-url-signer.ts';
import { OriginPolicy } from '../auth/origin-policy.ts';
import { TokenVerifier, type TokenVerifierOptions } from '../auth/token-verifier.ts';
import type { PulseCache } from '../cache/port.ts';
import type { Clock } from '../clock.ts';
import type { AppConfig } from '../config.ts';
import { operatorGuards, requestGuards, type TokenGuard, tokenGuard } from './request-guards.ts';
import { PulseResponseCache, Representation, RepresentationCache } from './representation.ts';
import type { ResponseRecorder, ServerContext } from './request-context.ts';
import { type Handler, createFastPath } from './fast-path.ts';
import { createImageProxy } from './image-proxy.ts';
import { proxiedImageUrl } from './routes/image-route.ts';
import { ImageCache } from './image-cache.ts';
import type { ReadinessFailure } from './routes/probes-route.ts';
import type { FieldPolicy } from './public-pulse.ts';
import { createRouter, type RouteParts } from './router.ts';
import type { WidgetFiles } from './widget-files.ts';
import { SseHub } from '../sse/sse-hub.ts';
import { descriptionYaml } from '../openapi/description.ts';

/** Health checks are not rate-limited. */
const PROBE_PATHS = ['/healthz', '/readyz'];

/** The parts of the application. */
export interface AppOptions {
  readonly config: AppConfig;
  readonly cache: PulseCache;
  readonly clock: Clock;
  readonly widget: WidgetFiles | undefined;
  /** The token keys; required if access is by token. */
  readonly tokenKeySet?: TokenVerifierOptions['keySet'] | undefined;
  /** Secrets that sign image URLs. */
  readonly imageSecrets: () => readonly KeyObject[];
  readonly readinessFailure: () => ReadinessFailure | undefined;
  readonly lifecycle: ServerContext['lifecycle'];
  readonly recorders: readonly ResponseRecorder[];
  readonly onFault: (fault: unknown) => void;
  /** Called for each request that came through a proxy which `TRUST_PROXY` does not name. */
  readonly onUntrustedProxy: () => void;
}

/** The application: the fast path, the routes behind it, and the live streams. */
export interface App {
  readonly fastPath: Handler;
  readonly routes: Router;
  /** The fast path for the operator's own pages, with access to all sources. */
  readonly operatorFastPath: Handler;
  /** The routes behind it. */
  readonly operatorRoutes: Router;
  readonly live: SseHub;
}

/** Creates the application. */
export function createApp(parts: AppOptions): App {
  const { config, cache, clock, widget, lifecycle, recorders, readinessFailure, onFault } = parts;
  const { publicUrl, allowedOrigins } = config;
  const imageUrlSigner = imageUrlSignerOf(parts);
  const origins = new OriginPolicy(allowedOrigins, publicUrl);
  const fieldPolicy = fieldPolicyOf(config, imageUrlSigner);
  const pulseResponses = new PulseResponseCache(fieldPolicy);
  const clientKeyOfRequest = clientKeyResolver(config.proxyTrust);
  const live = new SseHub({
    cache,
    clock,
    bodyOf: (snapshot, stale) => pulseResponses.answer(snapshot, stale).in('identity').bytes,
    onFault,
  });
  const guard = requestGuards({
    origins,
    tokenGuard: tokenGuardOf(parts, origins, imageUrlSigner),
    clientRateLimiter: config.clientRatePerMinute === 0 ? undefined : new ClientRateLimiter(config.clientRatePerMinute),
    clientKeyOfRequest,
    clock,
    uncounted: new Set([...PROBE_PATHS, ...(widget?.byPath.keys() ?? [])]),
    cacheScope: config.cacheScope,
    isFromUntrustedProxy: untrustedProxyTest(config.proxyTrust),
    onUntrustedProxy: parts.onUntrustedProxy,
  });
  const routeParts: RouteParts = {
    cache,
    lookups: cache,
    clock,
    freshnessPolicy: config,
    fieldPolicy,
    pulseResponses,
    representations: new RepresentationCache(),
    live,
    clientKeyOfRequest,
    frames: { publicUrl, allowedOrigins, ownOrigins: origins.own, scriptHash: widget?.hash },
    images:
      config.images === 'proxy'
        ? { hosts: config.imageHosts, cache: new ImageCache({ fetchImage: createImageProxy(), clock }) }
        : undefined,
    widget,
    description: new Representation(descriptionYaml(config), 'application/yaml; charset=utf-8'),
    takesTokens: config.access === 'token',
    readinessFailure,
    onFault,
  };
  // Requests of the operator are not counted.
  const operatorParts: RouteParts = { ...routeParts, lookups: cache.uncounted };
  return {
    fastPath: createFastPath({ guard, parts: routeParts, server: { lifecycle, recorders } }),
    routes: createRouter(routeParts),
    operatorFastPath: createFastPath({
      guard: operatorGuards,
      parts: operatorParts,
      server: { lifecycle, recorders: [] },
    }),
    operatorRoutes: createRouter(operatorParts),
    live,
  };
}

function fieldPolicyOf(config: AppConfig, imageUrlSigner: ImageUrlSigner | undefined): FieldPolicy {
  const { expose, images } = config;
  if (images === 'direct') return { expose, imageUrlOf: ({ imageUrl }) => imageUrl };
  return {
    expose,
    imageUrlOf: (pulse) => proxiedImageUrl(pulse, { ...config, imageUrlSigner }),
    imagePeriod: () => imageUrlSigner?.period() ?? 0,
  };
}

function imageUrlSignerOf({ config, clock, imageSecrets }: AppOptions): ImageUrlSigner | undefined {
  if (config.access === 'public' || config.images === 'direct') return undefined;
  return new ImageUrlSigner({ secrets: imageSecrets, wallNow: () => clock.wallNow() });
}

function tokenGuardOf(
  { config, cache, clock, tokenKeySet }: AppOptions,
  { own: ownOrigins }: OriginPolicy,
  images: ImageUrlSigner | undefined,
): TokenGuard | undefined {
  if (config.access === 'public') return undefined;
  if (tokenKeySet === undefined) throw new Error('Cannot verify tokens: there are no keys');
  const wallNow = (): number => clock.wallNow();
  const verifier = new TokenVerifier({ keySet: tokenKeySet, audience: config.publicUrl, wallNow });
  return tokenGuard({ verifier, images, ownOrigins, admit: (sourceIds) => cache.admit(sourceIds) });
}

import type { Router } from 'express';
import { clientNamer } from './access/client-address.ts';
import { ClientRate } from './access/client-rate.ts';
import { OriginRule } from './access/origins.ts';
import type { PulseCache } from './cache/port.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
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
import type { WidgetFiles } from './http/widget-files.ts';
import { LiveStreams } from './live/live-streams.ts';
import { descriptionYaml } from './openapi/description.ts';

/** What the application is made of. */
export interface AppParts {
  readonly config: Config;
  readonly cache: PulseCache;
  readonly clock: Clock;
  readonly widget: WidgetFiles | undefined;
  readonly unreadiness: () => Unreadiness | undefined;
  readonly isStopping: () => boolean;
  readonly onAnswered: OnAnswered;
  readonly onFault: (fault: unknown) => void;
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
  const exposure = exposureOf(config);
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
  });
  const admit = admission({
    origins: new OriginRule(config.allowedOrigins, config.publicUrl),
    clientRate: config.clientRatePerMinute === 0 ? undefined : new ClientRate(config.clientRatePerMinute),
    nameOfClient,
    wallNow: () => clock.wallNow(),
    isStopping: parts.isStopping,
  });
  const routes = createRoutes({
    images: config.images === 'proxy' ? { cache, hosts: config.imageHosts, store: storeOf(clock) } : undefined,
    events: { cache, live, nameOfClient },
    sources: { cache, bodies: new SourceListBodies(exposure), lifetimes: config },
    widget: parts.widget,
    description: new PreparedBody(descriptionYaml(config), 'application/yaml; charset=utf-8'),
    unreadiness: parts.unreadiness,
    onFault,
  });
  return { front: createFront({ admit, pulses, onAnswered, onFault }), routes, live };
}

function storeOf(clock: Clock): ImageStore {
  return new ImageStore({ fetchImage: createImageProxy(), now: () => clock.now() });
}

function exposureOf({ expose, images, imageHosts, publicUrl }: Config): Exposure {
  if (images === 'direct') return { expose, imageUrlOf: ({ imageUrl }) => imageUrl };
  return { expose, imageUrlOf: (pulse) => proxiedImageUrl(pulse, publicUrl, imageHosts) };
}

import type { FreshnessPolicy } from '../cache/freshness.ts';
import type { PulseCache, PulseLookups } from '../cache/port.ts';
import type { Clock } from '../clock.ts';
import type { FrameServer } from '../embed/frame-page.ts';
import type { ImageCache } from '../images/image-cache.ts';
import type { ImageHosts } from '../images/image-hosts.ts';
import { decodedSegment, type RequestContext } from './context.ts';
import type { FieldPolicy } from './public-pulse.ts';
import type { PulseResponseCache, Representation, RepresentationCache } from './representation.ts';
import type { ReadinessFailure } from './routes/probes-route.ts';
import type { WidgetFiles } from './widget-files.ts';

/** What the routes answer with. */
export interface RouteParts {
  readonly cache: PulseCache;
  /** The lookups of pulses: those of readers count as views, those of the operator do not. */
  readonly lookups: PulseLookups;
  readonly clock: Clock;
  readonly freshnessPolicy: FreshnessPolicy;
  readonly fieldPolicy: FieldPolicy;
  readonly pulseResponses: PulseResponseCache;
  readonly representations: RepresentationCache;
  readonly frames: FrameServer;
  readonly images: { readonly cache: ImageCache; readonly hosts: ImageHosts };
  readonly widget: WidgetFiles | undefined;
  readonly description: Representation;
  readonly readinessFailure: () => ReadinessFailure | undefined;
}

/**
 * Who may use a route. `data`: pages of allowed origins, with a token where access is by token; `frame`: any page may show it,
 * with a token as for data; `file`: everyone, from any page; `probe`: everyone, from no page.
 */
export type Access = 'data' | 'frame' | 'file' | 'probe';

/** A route for GET and HEAD. */
export interface Route {
  /** The path as log and metrics name it, with at most one parameter: `/v1/sources/:sourceId/pulse`. */
  readonly path: string;
  readonly access: Access;
  readonly answer: (context: RequestContext, parts: RouteParts, parameter: string) => void | Promise<void>;
}

/** A route that a path belongs to, and the decoded value of its parameter: empty where it cannot be decoded. */
export interface RouteMatch {
  readonly route: Route;
  readonly parameter: string;
}

/** Makes the lookup of the route of a path. Paths match to the letter: no other case, no slash at the end. */
export function routeMatcher(routes: readonly Route[]): (path: string) => RouteMatch | undefined {
  const plain = new Map(
    routes.filter(({ path }) => !path.includes(':')).map((route) => [route.path, { route, parameter: '' }]),
  );
  const withParameter = routes.filter(({ path }) => path.includes(':')).map((route) => ({ route, ...endsOf(route) }));
  return (path) => {
    const match = plain.get(path);
    if (match !== undefined) return match;
    for (const { route, before, after } of withParameter) {
      if (!path.startsWith(before) || !path.endsWith(after)) continue;
      const segment = path.slice(before.length, after === '' ? undefined : -after.length);
      if (segment !== '' && !segment.includes('/')) return { route, parameter: decodedSegment(segment) ?? '' };
    }
    return undefined;
  };
}

/** The text of a route's path before and after its parameter. */
function endsOf({ path }: Route): { before: string; after: string } {
  const [before = '', after = ''] = path.split(/:[A-Za-z]+/);
  return { before, after };
}

import type { PublicPulse, PulseAnswer, ReadPulse } from '@pulse-card/contract';
import type { SourceSnapshot } from '../cache/entries.ts';
import type { RequestCache } from '../cache/pulse-reader.ts';
import type { AppConfig } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import type { OriginPolicy } from './origins.ts';
import type { FieldPolicy } from './public-fields.ts';
import type { BodyCache } from './representation.ts';
import type { Access, ErrorPage, ReadinessFailure, RequestContext } from './request-context.ts';

/** A route for GET and HEAD requests. */
export interface Route {
  /**
   * The path with at most one parameter, such as `/v1/sources/:sourceId/pulse`. The log and metrics contain the path in
   * this form.
   */
  readonly path: string;
  readonly access: Access;
  readonly answer: (context: RequestContext, parts: RouteParts, parameter: string) => void | Promise<void>;
  /** Creates the error pages for all paths that begin and end like this one. @default errors are JSON */
  readonly errorPage?: (context: RequestContext, parts: RouteParts) => ErrorPage;
}

/** The route of charts. Two features use this route, so it is defined in the core. */
export const IMAGE_ROUTE = '/v1/sources/:sourceId/image';

/** The size of a chart, in pixels. */
export interface ChartSize {
  readonly width: number;
  readonly height: number;
}

/** A `<link>` element in the head of a page about a source. */
export interface HeadLink {
  readonly rel: string;
  readonly type: string;
  readonly href: string;
  readonly title: string;
}

/** What features add to answers. */
export interface Additions {
  /**
   * Changes an answer before it is sent. The function has no side effects. The result depends only on the answer and on
   * `revision()`.
   */
  readonly amend: (answer: PulseAnswer) => PulseAnswer;
  /** Returns a value that changes whenever `amend()` starts to give different results. */
  readonly revision: () => string;
  /** Returns the pulse of an earlier run; undefined if the run isn't kept. @default no run is kept */
  readonly pulseOfRun?: (snapshot: SourceSnapshot, run: string) => ReadPulse | undefined;
  readonly headLinks: (sourceId: string, pulse: PublicPulse) => readonly HeadLink[];
  /** Returns the size of a chart, if the chart has been loaded. */
  readonly chartSizeOf: (pulse: Pick<ReadPulse, 'jobRunId' | 'imageUrl'>) => ChartSize | undefined;
}

/** The parts of the BFF that routes use. */
export interface RouteParts {
  /** Whether every response is for one browser only. */
  readonly isMounted: boolean;
  readonly config: AppConfig;
  readonly cache: RequestCache;
  readonly clock: Clock;
  readonly origins: OriginPolicy;
  readonly fieldPolicy: FieldPolicy;
  readonly bodies: BodyCache;
  readonly additions: Additions;
  /** The hash in the name of the card's script; undefined if the script isn't built. */
  readonly scriptHash: string | undefined;
  /** The error message for a source that the reader may not see. */
  readonly forbiddenText: string;
  readonly readinessFailure: () => ReadinessFailure | undefined;
}

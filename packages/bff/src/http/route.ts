import type { PublicPulse, PulseAnswer, ReadPulse } from '@pulse-card/contract';
import type { SourceSnapshot } from '../cache/entries.ts';
import type { RequestCache } from '../cache/pulse-reader.ts';
import type { AppConfig } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import type { OriginPolicy } from './origins.ts';
import type { FieldPolicy } from './public-pulse.ts';
import type { BodyCache } from './representation.ts';
import type { Access, ErrorPage, ReadinessFailure, RequestContext } from './request-context.ts';

/** A route for GET and HEAD. */
export interface Route {
  /** The path as named in the log and in metrics, with at most one parameter: `/v1/sources/:sourceId/pulse`. */
  readonly path: string;
  readonly access: Access;
  readonly answer: (context: RequestContext, parts: RouteParts, parameter: string) => void | Promise<void>;
  /** Makes the pages that show errors of all paths that begin and end like this one. @default errors are JSON */
  readonly errorPage?: (context: RequestContext, parts: RouteParts) => ErrorPage;
}

/** The route of charts. The core knows it, because a reader whose chart fails still has a pulse. */
export const IMAGE_ROUTE = '/v1/sources/:sourceId/image';

/** The size of a chart, in pixels. */
export interface ChartSize {
  readonly width: number;
  readonly height: number;
}

/** A `<link>` in the head of a page about a source. */
export interface HeadLink {
  readonly rel: string;
  readonly type: string;
  readonly href: string;
  readonly title: string;
}

/** The additions of features to answers. */
export interface Additions {
  /** Changes an answer before it is sent. Has no side effects, and depends only on the answer and on `revision()`. */
  readonly amend: (answer: PulseAnswer) => PulseAnswer;
  /** Changes whenever `amend()` begins to change answers differently. */
  readonly revision: () => string;
  /** The pulse of an earlier run; undefined if it isn't kept. @default no run is kept */
  readonly pulseOfRun?: (snapshot: SourceSnapshot, run: string) => ReadPulse | undefined;
  readonly headLinks: (sourceId: string, pulse: PublicPulse) => readonly HeadLink[];
  /** The size of a chart, if it has been loaded. */
  readonly chartSizeOf: (pulse: Pick<ReadPulse, 'jobRunId' | 'imageUrl'>) => ChartSize | undefined;
}

/** The parts of the BFF that routes use. */
export interface RouteParts {
  /** Every response is for one browser. */
  readonly isMounted: boolean;
  readonly config: AppConfig;
  readonly cache: RequestCache;
  readonly clock: Clock;
  readonly origins: OriginPolicy;
  readonly fieldPolicy: FieldPolicy;
  readonly bodies: BodyCache;
  readonly additions: Additions;
  /** The hash in the name of the card's script; undefined if it is not built. */
  readonly scriptHash: string | undefined;
  /** The text of the error for a source that the reader may not see. */
  readonly forbiddenText: string;
  readonly readinessFailure: () => ReadinessFailure | undefined;
}

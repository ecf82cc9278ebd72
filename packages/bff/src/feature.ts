import type { IncomingMessage } from 'node:http';
import type { TokenVerifierOptions } from '@pulse-card/token';
import type { Router } from 'express';
import type { CallBudget } from './budget/call-budget.ts';
import type { AnswerFolder } from './cache/answer-folder.ts';
import type { SourceSnapshot } from './cache/entries.ts';
import type { ClusterStatus, OpenPeers } from './cache/peers.ts';
import type { PulseCache } from './cache/pulse-cache.ts';
import type { Config } from './config/config.ts';
import type { SettingsOf, VariableTable } from './config/variables.ts';
import type { Handler } from './http/handler.ts';
import type { Grant } from './http/authorizer.ts';
import type { ChartUrls } from './http/public-fields.ts';
import type { ResponseRecord, ServerContext } from './http/request-context.ts';
import type { Additions, Route } from './http/route.ts';
import type { WidgetFiles } from './http/widget-files.ts';
import type { Clock } from './lib/clock.ts';
import type { KeptText } from './lib/kept-text.ts';
import type { Log } from './observability/log.ts';
import type { Problem } from './observability/problem.ts';
import type { CallObserver } from './upstream/call-observer.ts';
import type { KeySource } from './upstream/key-source.ts';

/** What the core provides to features. */
export interface Core {
  readonly config: Config;
  readonly clock: Clock;
  readonly isMounted: boolean;
  /** Whether the process serves only the BFF. */
  readonly ownsProcess: boolean;
  /** Returns whether the BFF is stopping. `/readyz` then returns 503. */
  readonly isStopping: () => boolean;
  /** Undefined if the widget isn't built. */
  readonly widget: () => WidgetFiles | undefined;
  readonly cache: PulseCache;
  /** The name of the API key in use. The name doesn't reveal the key. */
  readonly keyName: () => string;
  /** Names the account of the API key in use. */
  readonly accountName: () => string;
  /** Derives a secret from the API key in use. Instances with the same key derive the same secret. */
  readonly deriveSecret: (purpose: string) => Buffer;
  /** Calls `listener` when another key is in use. */
  readonly onKeyChange: (listener: () => void) => void;
  /** Returns the stored text with this name. The text outlives the process if there is a state folder or Redis. */
  readonly keptText: (name: string) => KeptText;
  /** The answers, for readers who may see every source. Not available before `start()`. */
  readonly handleOperator: Handler;
  /** Undefined if Redis isn't used. */
  readonly clusterStatus: () => ClusterStatus | undefined;
  /** The features that are on. */
  readonly features: readonly Feature[];
  /** The problems that all features report, with the most serious ones first. */
  readonly problems: () => readonly Problem[];
  readonly logger: Log['logger'];
  /** Writes a sentence for the operator to the log, at most once a minute. Returns whether the sentence was written. */
  readonly warn: (message: string) => boolean;
  /** Receives unexpected errors from background work. */
  readonly onFault: (fault: unknown) => void;
  /** Logs an error that a function of the host application threw. */
  readonly onHostFault: (message: string) => void;
}

/** A removable part of the BFF. To remove a feature, delete its folder and its line in `features.ts`. */
export interface FeatureDefinition<Table extends VariableTable = VariableTable> {
  /** The feature's part of the table of variables. */
  readonly variables?: Table;
  /** Opens the feature. Returns undefined if the feature's variables don't turn the feature on. */
  open(core: Core, settings: SettingsOf<Table>): Feature | undefined | Promise<Feature | undefined>;
}

/**
 * A feature that is on. The members of the feature are called without `this`, except for `restored()`, `start()`, and
 * `close()`.
 */
export interface Feature extends Partial<Additions> {
  readonly name: string;
  readonly routes?: readonly Route[];
  /**
   * Decides which sources a request may see. A source is allowed only if all features that have this function allow it.
   */
  readonly grant?: Grant;
  /** The keys that verify tokens, if the feature provides them. */
  readonly tokenKeySet?: TokenVerifierOptions['keySet'];
  /**
   * Returns the client whose limit a request counts against. If this is undefined or returns undefined, the client's
   * address is used.
   */
  readonly nameClient?: (request: IncomingMessage) => string | undefined;
  /** Writes the heads of responses. @default no other code has set headers */
  readonly writeHead?: ServerContext['writeHead'];
  /** The built widget, if the feature serves it. */
  readonly widget?: WidgetFiles;
  /** Where readers load charts from. @default the address that the service returns */
  readonly chartUrls?: ChartUrls;
  /** Pages for operators, which are served on the private port. */
  readonly operatorPages?: Router;
  /** Documents that programs read on the private port, by path. */
  readonly documents?: Readonly<Record<string, AdminDocument>>;
  readonly onAnswer?: (answer: ResponseRecord) => void;
  /** Observes the calls to the service. */
  readonly calls?: CallObserver;
  /** Called with each answer from the service that the cache stores. `pulse` is null if the source has none. */
  readonly onStored?: (snapshot: SourceSnapshot) => void;
  /** Called when an answer shows that the key belongs to a different account than before. */
  readonly onPurge?: () => void;
  /** The members that the feature adds to `/status`. */
  readonly facts?: () => object;
  /** The feature's problems, for the log, `/readyz`, `/status`, and alerts. */
  readonly problems?: () => readonly Problem[];
  /** Reads the feature's metrics. The names of these metrics begin with `pulse_bff_`, which is added here. */
  readonly gauges?: () => Gauges;
  /** Resolves once the feature has loaded its data about restored answers. No request is answered before that. */
  restored?(): Promise<void>;
  /** Starts background work, once the BFF is fully open. */
  start?(): void | Promise<void>;
  close?(): void | Promise<void>;
}

/** A document that programs read on the private port. */
export interface AdminDocument {
  /** The content type. */
  readonly type: string;
  readonly text: () => string | Promise<string>;
}

/** Metrics by name. A metric whose name ends in `_total` is a counter. Null if there is no value to show. */
export type Gauges = Readonly<Record<string, readonly [help: string, value: number | null]>>;

/** The values that a backend needs before the cache exists. */
export interface BackendParts {
  readonly config: Config;
  readonly clock: Clock;
  /** The key of the upstream. Throws `ConfigError` if no earlier backend has provided a key. */
  readonly key: () => KeySource;
  readonly warn: (message: string) => void;
  /** The start time, on the monotonic clock, of the process that makes all calls with the key. @default now */
  readonly startedAt?: number | undefined;
  /** How long Redis may take to answer, in ms. @default 80 */
  readonly redisAnswersWithinMs?: number | undefined;
}

/**
 * Stores data that outlives a process or is shared with other processes. Each part replaces the core's own part. A
 * backend is a plain object. Leave out the parts that the backend doesn't provide.
 */
export interface Backend {
  readonly folder?: AnswerFolder;
  readonly callBudget?: CallBudget;
  readonly openPeers?: OpenPeers;
  readonly keptText?: (name: string) => KeptText;
  readonly clusterStatus?: () => ClusterStatus;
  /** The key of the upstream, instead of `PULSE_API_KEY`. */
  readonly keySource?: KeySource;
  /** Reports the state of the backend to the operator. */
  readonly feature?: Feature;
  close(): void;
}

/** A backend, as `features.ts` lists it. */
export interface BackendDefinition<Table extends VariableTable = VariableTable> {
  /** The backend's part of the table of variables. */
  readonly variables?: Table;
  /**
   * Opens the backend. Returns undefined if the backend's variables don't turn the backend on. Rejects with a
   * `ConfigError`.
   */
  open(parts: BackendParts, settings: SettingsOf<Table>): Promise<Backend | undefined>;
}

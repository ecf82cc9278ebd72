import type { KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { PublicPulse, PulseAnswer, ReadPulse } from '@pulse-card/contract';
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
import type { ChartUrls } from './http/public-pulse.ts';
import type { ResponseRecord, ServerContext } from './http/request-context.ts';
import type { ChartSize, HeadLink, Route } from './http/route.ts';
import type { WidgetFiles } from './http/widget-files.ts';
import type { Clock } from './lib/clock.ts';
import type { KeptText } from './lib/kept-text.ts';
import type { Log } from './observability/log.ts';
import type { Problem } from './observability/problem.ts';
import type { CallObserver } from './upstream/call-observer.ts';
import type { KeyFileStatus, KeyRing } from './upstream/key-ring.ts';

/** What the core gives to features. */
export interface Core {
  readonly config: Config;
  readonly clock: Clock;
  readonly isMounted: boolean;
  /** The process serves nothing but the BFF. */
  readonly ownsProcess: boolean;
  /** From now on `/readyz` answers 503. */
  readonly isStopping: () => boolean;
  /** Undefined if the widget isn't built. */
  readonly widget: () => WidgetFiles | undefined;
  readonly cache: PulseCache;
  /** The name of the API key in use, which doesn't reveal it. */
  readonly keyName: () => string;
  /** Undefined if the key isn't read from a file. */
  readonly keyFileStatus: () => KeyFileStatus | undefined;
  /** Names the account of the API key in use. */
  readonly accountName: () => string;
  /** Secrets for a purpose, derived from the API key. Sign with the first one, and verify with all of them. */
  readonly secretsFor: (purpose: string) => () => readonly KeyObject[];
  /** The text with this name. It outlives the process if there is a state folder or Redis. */
  readonly keptText: (name: string) => KeptText;
  /** The answers for readers who may see every source. Not available before `start()`. */
  readonly handleOperator: Handler;
  /** The error code of the last write to the state folder; undefined if it succeeded, or if there is no folder. */
  readonly stateDirFault: () => string | undefined;
  /** Undefined if there is no Redis. */
  readonly clusterStatus: () => ClusterStatus | undefined;
  /** Returns whether the number of calls left is known. A new Redis doesn't know the calls of the last window. */
  readonly isBudgetKnown: () => boolean;
  /** The features that are on. */
  readonly features: readonly Feature[];
  /** The problems that all features report, with the most serious first. */
  readonly problems: () => readonly Problem[];
  readonly logger: Log['logger'];
  /** Writes a sentence for the operator to the log, at most once a minute. Returns whether it was written. */
  readonly warn: (message: string) => boolean;
  /** Receives unexpected errors of background work. */
  readonly onFault: (fault: unknown) => void;
  /** Writes an error of the host application's own functions to the log. */
  readonly onHostFault: (message: string) => void;
}

/** A removable part of the BFF. To remove it, delete its folder and its line in `features.ts`. */
export interface FeatureDefinition<Table extends VariableTable = VariableTable> {
  /** Its part of the table of variables. */
  readonly variables?: Table;
  /** Opens the feature, or returns undefined if its variables leave it off. */
  open(core: Core, settings: SettingsOf<Table>): Feature | undefined | Promise<Feature | undefined>;
}

/** A feature that is on. Except for `restored()`, `start()`, and `close()`, its members are called without `this`. */
export interface Feature {
  readonly name: string;
  readonly routes?: readonly Route[];
  /** Decides which sources a request may see. All features that have a grant must allow a source. */
  readonly grant?: Grant;
  /** The keys of tokens, if it verifies tokens. */
  readonly tokenKeySet?: TokenVerifierOptions['keySet'];
  /** Names the client that the client limit counts; undefined: the client's address is counted. */
  readonly nameClient?: (request: IncomingMessage) => string | undefined;
  /** Writes the heads of responses. @default no other code has set headers */
  readonly writeHead?: ServerContext['writeHead'];
  /** The built widget, which it serves. */
  readonly widget?: WidgetFiles;
  /** Where readers load charts from. @default the address that the service returns */
  readonly chartUrls?: ChartUrls;
  readonly chartSizeOf?: (pulse: Pick<ReadPulse, 'jobRunId' | 'imageUrl'>) => ChartSize | undefined;
  /** Pages for operators, on the private port. */
  readonly operatorPages?: Router;
  /** What programs read on the private port, by path. */
  readonly documents?: Readonly<Record<string, AdminDocument>>;
  readonly onAnswer?: (answer: ResponseRecord) => void;
  /** Observes the calls to the service. */
  readonly calls?: CallObserver;
  /** Called with each answer of the service that the cache stores; `pulse` is null if there is none. */
  readonly onStored?: (snapshot: SourceSnapshot) => void;
  /** Called when the key belongs to a different account than before. */
  readonly onPurge?: () => void;
  /** The members that it adds to `/status`. */
  readonly facts?: () => object;
  /** Its problems, for the log, `/readyz`, `/status`, and alerts. */
  readonly problems?: () => readonly Problem[];
  /** Reads its metrics by name, after `pulse_bff_`. */
  readonly gauges?: () => Gauges;
  readonly headLinks?: (sourceId: string, pulse: PublicPulse) => readonly HeadLink[];
  /** Changes an answer before it is sent. Depends only on its arguments and on the state that `revision()` identifies. */
  readonly amend?: (answer: PulseAnswer) => PulseAnswer;
  /** Changes whenever `amend()` begins to change answers differently. */
  readonly revision?: () => string;
  /** The pulse of an earlier run of a source; undefined if it isn't kept. */
  readonly pulseOfRun?: (snapshot: SourceSnapshot, run: string) => ReadPulse | undefined;
  /** Resolves once the feature has loaded its data about restored answers. No request is answered before that. */
  restored?(): Promise<void>;
  /** Starts background work, once the BFF is fully open. */
  start?(): void | Promise<void>;
  close?(): void | Promise<void>;
}

/** What programs read on the private port. */
export interface AdminDocument {
  /** The content type. */
  readonly type: string;
  readonly text: () => string | Promise<string>;
}

/** Metrics by name: a name that ends in `_total` is a counter. Null if there is nothing to show. */
export type Gauges = Readonly<Record<string, readonly [help: string, value: number | null]>>;

/** The values that a backend needs before the cache exists. */
export interface BackendParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
  readonly warn: (message: string) => void;
  /** When the process that makes all of the key's calls started, on the clock. @default now */
  readonly startedAt?: number | undefined;
  /** How long Redis may take to answer, in ms. @default 80 */
  readonly redisAnswersWithinMs?: number | undefined;
}

/**
 * Stores data that outlives a process or is shared with others. Each part replaces the core's own. A plain object: leave
 * out what the backend doesn't provide.
 */
export interface Backend {
  readonly folder?: AnswerFolder;
  readonly callBudget?: CallBudget;
  readonly openPeers?: OpenPeers;
  readonly keptText?: (name: string) => KeptText;
  readonly clusterStatus?: () => ClusterStatus;
  close(): void;
}

/** A backend as `features.ts` lists it. */
export interface BackendDefinition<Table extends VariableTable = VariableTable> {
  /** Its part of the table of variables. */
  readonly variables?: Table;
  /** Opens the backend, or returns undefined if its variables leave it off. Rejects with a `ConfigError`. */
  open(parts: BackendParts, settings: SettingsOf<Table>): Promise<Backend | undefined>;
}

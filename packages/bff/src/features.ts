import type { variables, VariableTable } from './config/variables.ts';
import { accessLogFeature } from './features/access-log/access-log.ts';
import { alertsFeature } from './features/alerts/open-alerts.ts';
import { embedFeature } from './features/embed/embed.ts';
import { filesFeature } from './features/files/files.ts';
import { historyFeature } from './features/history/history.ts';
import { imagesFeature } from './features/images/images.ts';
import { keyFileBackend } from './features/key-file/key-file.ts';
import { metricsFeature } from './features/metrics/metrics.ts';
import { privatePort } from './features/private-port/private-port.ts';
import { redisBackend } from './features/redis/redis.ts';
import { stateFolderBackend } from './features/state-folder/open-state-folder.ts';
import { statusFeature } from './features/status/status.ts';
import { studioFeature } from './features/studio/open-studio.ts';
import { tokensFeature } from './features/tokens/tokens.ts';
import { withheldFeature } from './features/withheld/withheld.ts';

/**
 * The backends, which store data that outlives a process or is shared with other processes. If two backends provide the
 * same part, the first one is used.
 */
export const BACKENDS = [keyFileBackend, redisBackend, stateFolderBackend] as const;

/**
 * Everything except reading pulses. `problems` follows the order of this list. A feature that is opening finds the
 * features before it in `core.features`.
 */
export const FEATURES = [
  filesFeature,
  statusFeature,
  metricsFeature,
  accessLogFeature,
  imagesFeature,
  embedFeature,
  tokensFeature,
  historyFeature,
  withheldFeature,
  alertsFeature,
  studioFeature,
] as const;

/** The private port is opened by a command, so only its variables are needed here. */
const ALL = [...BACKENDS, ...FEATURES, privatePort] as const;

/** The names in a variable table; `never` for the general table type, which doesn't list its names. */
type NamesIn<Table> = string extends keyof Table ? never : keyof Table;
type NamesOf<Definition> = Definition extends { readonly variables?: infer Table }
  ? NamesIn<NonNullable<Table>>
  : never;
type FeatureVariableName = NamesOf<(typeof ALL)[number]>;

/** The variables for all features and backends. */
export const FEATURE_VARIABLES = Object.assign({}, ...ALL.map((each) => each.variables)) as Readonly<
  Record<FeatureVariableName, VariableTable[string]>
>;

/** The name of a variable that the BFF reads. */
export type VariableName = keyof typeof variables | keyof typeof FEATURE_VARIABLES;

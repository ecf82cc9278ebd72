import type { OpenBackend, OpenFeature } from './feature.ts';
import { openAccessLog } from './features/access-log/access-log.ts';
import { openAlerts } from './features/alerts/open-alerts.ts';
import { openEmbed } from './features/embed/embed.ts';
import { openHistory } from './features/history/history.ts';
import { openImages } from './features/images/images.ts';
import { openMetrics } from './features/metrics/metrics.ts';
import { openRedis } from './features/redis/redis.ts';
import { openStateFolder } from './features/state-folder/open-state-folder.ts';
import { openStatus } from './features/status/status.ts';
import { openStudio } from './features/studio/open-studio.ts';
import { openTokens } from './features/tokens/tokens.ts';
import { openWithheld } from './features/withheld/withheld.ts';

/** Store data that outlives a process or is shared with others. If two provide the same part, the first one is used. */
export const BACKENDS: readonly OpenBackend[] = [openTokens, openRedis, openStateFolder];

/** Everything except reading pulses. `problems` follows the order of this list. */
export const FEATURES: readonly OpenFeature[] = [
  openStatus,
  openMetrics,
  openAccessLog,
  openImages,
  openEmbed,
  openHistory,
  openWithheld,
  openAlerts,
  openStudio,
];

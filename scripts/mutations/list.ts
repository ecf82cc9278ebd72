import type { Mutation } from './mutation.ts';
import { CACHE_MUTATIONS } from './of-cache.ts';
import { CARD_MUTATIONS } from './of-card.ts';
import { FRAME_MUTATIONS } from './of-frames.ts';
import { FRONT_MUTATIONS } from './of-front.ts';
import { IMAGE_MUTATIONS } from './of-images.ts';
import { LIVE_MUTATIONS } from './of-live.ts';
import { REDIS_MUTATIONS } from './of-redis.ts';
import { TOKEN_MUTATIONS } from './of-tokens.ts';
import { UPSTREAM_MUTATIONS } from './of-upstream.ts';

/** Every defence that is taken away by itself, to see a test turn red. */
export const MUTATIONS: readonly Mutation[] = [
  ...UPSTREAM_MUTATIONS,
  ...FRONT_MUTATIONS,
  ...FRAME_MUTATIONS,
  ...CACHE_MUTATIONS,
  ...IMAGE_MUTATIONS,
  ...TOKEN_MUTATIONS,
  ...LIVE_MUTATIONS,
  ...REDIS_MUTATIONS,
  ...CARD_MUTATIONS,
];

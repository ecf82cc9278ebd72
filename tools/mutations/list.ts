import type { Mutation } from './mutation.ts';
import { CACHE_MUTATIONS } from './cache.ts';
import { CARD_MUTATIONS } from './widget.ts';
import { FRAME_MUTATIONS } from './frames.ts';
import { FRONT_MUTATIONS } from './http.ts';
import { IMAGE_MUTATIONS } from './images.ts';
import { LIVE_MUTATIONS } from './live.ts';
import { REDIS_MUTATIONS } from './redis.ts';
import { TOKEN_MUTATIONS } from './tokens.ts';
import { UPSTREAM_MUTATIONS } from './upstream.ts';

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

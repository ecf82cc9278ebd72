import type { ContainerEngine } from './container-engine.ts';

/** A final stage in the Dockerfile. */
export type ImageTarget = 'bff' | 'service';

/** The images' tag while they are tested. */
export const IMAGES: Readonly<Record<ImageTarget, string>> = {
  bff: 'pulse-card-bff:test',
  service: 'pulse-card-service:test',
};

/** A marker in build-context files that must not end up in an image. */
export const CANARY = 'canary-key-0123456789abcdef';

/** The variable that tells the spec how to run containers, as JSON. */
export const ENGINE_VARIABLE = 'PULSE_CONTAINER_ENGINE';

/** The engine that `scripts/test-image.ts` chose. Throws if the spec is run without that script. */
export function engineFromEnvironment(): ContainerEngine {
  const text = process.env[ENGINE_VARIABLE];
  if (text === undefined) throw new Error('Run this spec with `npm run test:image`');
  return JSON.parse(text) as ContainerEngine;
}

import type { Config } from '../config.ts';

export function descriptionOf(config: Config): string {
  return `openapi: 3.1.0 # ${config.publicUrl}`;
}

import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';

/** The address in the files, which stands for that of the BFF. */
export const PUBLIC_URL = 'https://pulse.example.com';

/** The files that `npm run docs:reference` makes of the contract, by access. */
export const DESCRIPTION_FILES = { public: 'openapi.yaml', token: 'openapi-token.yaml' } as const;

/** The OpenAPI 3.1 description of this BFF as YAML. */
export function readDescription({ publicUrl, access }: Pick<Config, 'publicUrl' | 'access'>): string {
  const text = readFileSync(new URL(DESCRIPTION_FILES[access], import.meta.url), 'utf8');
  return text.replace(PUBLIC_URL, publicUrl);
}

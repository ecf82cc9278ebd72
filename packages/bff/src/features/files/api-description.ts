import { readFileSync } from 'node:fs';
import type { AppConfig } from '../../config/config.ts';
import { Representation } from '../../http/representation.ts';

/** The example address that the description's files contain. The BFF's address replaces this address. */
export const EXAMPLE_URL = 'https://pulse.example.com';

/** The files that `npm run docs:reference` generates from the contract, by access mode. */
export const DESCRIPTION_FILES = { public: 'openapi.yaml', token: 'openapi-token.yaml' } as const;

/** Reads the OpenAPI 3.1 description of this BFF. */
export function readDescription({ publicUrl, access }: Pick<AppConfig, 'publicUrl' | 'access'>): Representation {
  const text = readFileSync(new URL(DESCRIPTION_FILES[access], import.meta.url), 'utf8');
  return new Representation(text.replace(EXAMPLE_URL, publicUrl), 'application/yaml; charset=utf-8');
}

import { existsSync, readFileSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { CHANGING } from '../../http/cache-scope.ts';
import { ApiError } from '../../http/errors.ts';
import type { Handler } from '../../http/locals.ts';
import { allowEveryPage } from '../../http/origins.ts';
import { Body, sendBody, setCacheControl } from '../../http/send.ts';

/** The example URL in the description. The BFF's own URL replaces it. */
export const EXAMPLE_URL = 'https://pulse.example.com';

/** The description's files, by access mode. */
export const DESCRIPTION_FILES = { public: 'openapi.yaml', token: 'openapi-token.yaml' } as const;

/** `GET /v1/openapi.yaml`: the OpenAPI 3.1 description of this BFF. */
export function apiDescription({ publicUrl, access, isMounted }: Config): Handler {
  // The build writes this file, even if the BFF runs from its sources.
  const file = new URL(`../../../dist/${DESCRIPTION_FILES[access]}`, import.meta.url);
  const text = existsSync(file) ? readFileSync(file, 'utf8').replace(EXAMPLE_URL, publicUrl) : undefined;
  const body = text === undefined ? undefined : new Body(text, 'application/yaml; charset=utf-8');
  return (req, res) => {
    if (body === undefined)
      throw new ApiError('not_found', { error: 'The description isn’t built on this server: run npm run build' });
    allowEveryPage(res);
    setCacheControl(res, 'Cache-Control', isMounted ? CHANGING.replace('public', 'private') : CHANGING);
    sendBody(req, res, body);
  };
}

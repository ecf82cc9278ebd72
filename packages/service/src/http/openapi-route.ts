import type { Request, Response } from 'express';
import { openapiYaml } from '../openapi/document.ts';
import type { Site } from '../site.ts';

/** `GET /v1/openapi.yaml`: the description of the interface, for anyone. */
export function openapiRoute(site: Site) {
  let yaml: string | undefined;
  return (_req: Request, res: Response): void => {
    yaml ??= openapiYaml(site.publicUrl());
    res.setHeader('Cache-Control', 'no-cache');
    res.type('application/yaml').send(yaml);
  };
}

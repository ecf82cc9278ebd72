import { isPlainHost } from '@pulse-card/contract';
import { z } from 'zod';
import { listOf, oneOf } from '../../config/schemas.ts';
import type { SettingsOf } from '../../config/variables.ts';

/** A host with or without a port, spelled exactly as in `URL.host`. */
const hostName = z
  .string()
  .refine((text) => {
    const url = URL.parse(`https://${text}`);
    return url?.host === text.toLowerCase() && isPlainHost(url.hostname);
  }, 'must be an exact host name such as cdn.example.com, without a scheme, path, or wildcard')
  .toLowerCase();

/** The variables of this feature. */
export const imageVariables = {
  PULSE_IMAGES: oneOf(['direct', 'proxy'])
    .default('direct')
    .describe('Where charts are loaded from: `direct` (the CDN) or `proxy` (the BFF)'),
  PULSE_IMAGE_HOSTS: listOf(hostName).describe(
    'The only hosts that charts may come from. Default: the service, and any public address over `https:` on port 443',
  ),
};

/** The values of this feature's variables. */
export type ImageSettings = SettingsOf<typeof imageVariables>;

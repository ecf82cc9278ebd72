import { z } from 'zod';
import { addressOf, HTTP, readBy } from '../../config/schemas.ts';
import type { SettingsOf } from '../../config/variables.ts';
import { isPlainHttp } from '../../lib/ip-address.ts';
import { Secret } from '../../lib/secret.ts';

/**
 * The address of a webhook. The address is itself a secret. The address may be private, but it must use `https:` unless
 * it is a loopback address.
 */
export const webhookUrl = readBy((text) => {
  // The URL parser drops line breaks, so two lines of a file would be read as one address.
  const url = /\s/.test(text.trim()) ? undefined : addressOf(text.trim(), HTTP, { mayHaveQuery: true });
  return url && !isPlainHttp(url) ? new Secret(url.href) : undefined;
}, 'must be an https: address without user name (http: on a loopback host only)');

/** The variables of this feature. */
export const alertVariables = {
  PULSE_API_KEY_EXPIRES: z.iso
    .date('must be a day such as 2027-02-20')
    .optional()
    .describe('The expiry date of the key that is in use at startup, as the dashboard shows it, such as `2027-02-20`'),
  PULSE_ALERT_URL: webhookUrl
    .optional()
    .describe(
      'A webhook that accepts `{ "text": "…" }` (Slack, Teams, Mattermost): reports that the key is about to expire or is rejected, the service is down, or a source is BROKEN. The address is a secret',
    ),
  PULSE_ALERT_URL_FILE: z
    .string()
    .optional()
    .describe('A file that contains the webhook address, as an alternative to `PULSE_ALERT_URL`'),
};

/** The values of this feature's variables. */
export type AlertSettings = SettingsOf<typeof alertVariables>;

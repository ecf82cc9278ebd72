import { z } from 'zod';
import { addressOf, HTTP, readBy } from '../../config/schemas.ts';
import type { SettingsOf } from '../../config/variables.ts';
import { isPlainHttp } from '../../lib/ip-address.ts';
import { Secret } from '../../lib/secret.ts';

/** The address of a webhook, which is a secret itself: a private address is allowed; a scheme other than `https:` is allowed only on loopback. */
export const webhookUrl = readBy((text) => {
  // The parser of URLs drops line breaks: two lines of a file would be read as one address.
  const url = /\s/.test(text.trim()) ? undefined : addressOf(text.trim(), HTTP, { mayHaveQuery: true });
  return url && !isPlainHttp(url) ? new Secret(url.href) : undefined;
}, 'must be an https: address without user name (http: on a loopback host only)');

/** The variables of this feature. */
export const alertVariables = {
  PULSE_API_KEY_EXPIRES: z.iso
    .date('must be a day such as 2027-02-20')
    .optional()
    .describe(
      'The day on which the key expires, as the dashboard shows it, such as `2027-02-20`. It belongs to the key that is in use at the start',
    ),
  PULSE_ALERT_URL: webhookUrl
    .optional()
    .describe(
      'A webhook that takes `{ "text": "…" }` (Slack, Teams, Mattermost): reports that the key is about to expire or is rejected, the service is down, or a source is BROKEN. The address is a secret',
    ),
  PULSE_ALERT_URL_FILE: z.string().optional().describe('A file with the address of that webhook, instead'),
};

/** The values of the variables of this feature. */
export type AlertSettings = SettingsOf<typeof alertVariables>;

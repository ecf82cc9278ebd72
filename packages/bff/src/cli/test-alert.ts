import { messageOf, openWebhook } from '../features/alerts/webhook.ts';
import { ConfigError, publicUrlOf, readSettings } from '../config/config.ts';
import type { Variables } from '../config/variables.ts';

/** Whether the test message has arrived, in a line for the operator. */
export interface TestAlert {
  readonly arrived: boolean;
  readonly line: string;
}

const NAMES = ['PULSE_ALERT_URL', 'PULSE_ALERT_URL_FILE', 'PULSE_PUBLIC_URL', 'PORT'] as const;

/** Opens the webhook of `environment` and returns the function that sends a test message to it. Throws `ConfigError` if there is none. */
export async function openTestAlert(environment: Variables): Promise<() => Promise<TestAlert>> {
  const settings = readSettings(environment, NAMES);
  const webhook = await openWebhook({
    alertUrl: settings.PULSE_ALERT_URL,
    alertUrlFile: settings.PULSE_ALERT_URL_FILE,
  });
  if (webhook === undefined)
    throw new ConfigError(['PULSE_ALERT_URL: is required for --alert (or PULSE_ALERT_URL_FILE)']);
  return async () => {
    const outcome = await webhook.send(messageOf([TEST], publicUrlOf(settings)));
    if (outcome.ok) return { arrived: true, line: `Alert: ${webhook.host} accepted a test message` };
    return { arrived: false, line: `Alert: ${webhook.host} (PULSE_ALERT_URL) got no test message: ${outcome.failure}` };
  };
}

const TEST = 'This is a test. Alerts of this BFF arrive here.';

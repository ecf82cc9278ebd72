import { messageOf, openWebhook } from '../features/alerts/webhook.ts';
import { ConfigError, publicUrlOf, readSettings } from '../config/config.ts';
import { type Variables, variables } from '../config/variables.ts';
import { alertVariables } from '../features/alerts/variables.ts';

/** Whether the test message arrived, and a line for the operator that says so. */
export interface TestAlert {
  readonly arrived: boolean;
  readonly line: string;
}

/**
 * Opens the webhook of `environment` and returns the function that sends a test message to it. Throws `ConfigError` if
 * no webhook is configured.
 */
export async function openTestAlert(environment: Variables): Promise<() => Promise<TestAlert>> {
  const { PULSE_ALERT_URL, PULSE_ALERT_URL_FILE } = alertVariables;
  const { PULSE_PUBLIC_URL, PORT } = variables;
  const settings = readSettings(environment, { PULSE_ALERT_URL, PULSE_ALERT_URL_FILE, PULSE_PUBLIC_URL, PORT });
  const webhook = await openWebhook(settings);
  if (webhook === undefined)
    throw new ConfigError(['PULSE_ALERT_URL: is required for --alert (or PULSE_ALERT_URL_FILE)']);
  return async () => {
    const outcome = await webhook.send(messageOf([TEST], publicUrlOf(settings)));
    if (outcome.ok) return { arrived: true, line: `Alert: ${webhook.host} accepted a test message` };
    return {
      arrived: false,
      line: `Alert: ${webhook.host} (PULSE_ALERT_URL) did not receive the test message: ${outcome.failure}`,
    };
  };
}

const TEST = 'This is a test. Alerts from this BFF arrive here.';

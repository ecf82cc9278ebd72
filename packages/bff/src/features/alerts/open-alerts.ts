import type { FeatureDefinition, Gauges } from '../../feature.ts';
import { alertVariables } from './variables.ts';
import { keyEndsProblem } from './key-expiry.ts';
import { alertStore } from './alert-store.ts';
import { Alerts } from './alerts.ts';
import { openWebhook } from './webhook.ts';

/** The name of the text that contains the record. */
export const ALERTS_TEXT = 'alerts';

/** Watches the key's expiry, and sends messages about problems to the webhook of `PULSE_ALERT_URL`. */
export const alertsFeature: FeatureDefinition<typeof alertVariables> = {
  variables: alertVariables,
  async open({ config, clock, keptText, keyName, problems, warn }, settings) {
    const webhook = await openWebhook(settings);
    const { publicUrl: origin } = config;
    const { PULSE_API_KEY_EXPIRES: statedDay } = settings;
    const store = alertStore(keptText(ALERTS_TEXT));
    const alerts = new Alerts({ clock, store, webhook, origin, keyName, statedDay, problems, warn });
    return {
      name: 'alerts',
      facts: () => ({ alerts: alerts.status(), keyExpiry: alerts.keyExpiry() ?? null }),
      problems: () => keyEndsProblem(alerts.keyExpiry()),
      gauges: () => alertGauges(alerts),
      start: () => alerts.start(),
      close: () => alerts.close(),
    };
  },
};

/** The metrics of the feature. */
export function alertGauges(alerts: Pick<Alerts, 'status' | 'keyExpiry'>): Gauges {
  const expiry = alerts.keyExpiry();
  return {
    alerts_failing: ['1 while the webhook accepts no messages', Number(alerts.status().failure !== null)],
    alerts_sent_total: ['How many messages the webhook accepted', alerts.status().sent],
    key_expires_timestamp_seconds: [
      'When the key expires, in seconds since the Unix epoch. Missing if this is unknown',
      expiry === undefined ? null : Date.parse(expiry.day) / 1_000,
    ],
  };
}

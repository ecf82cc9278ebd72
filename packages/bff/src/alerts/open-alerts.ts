import { readFile } from 'node:fs/promises';
import type { CacheStatus } from '../cache/cache-status.ts';
import type { Clock } from '../clock.ts';
import { type Config, ConfigError } from '../config.ts';
import { webhookUrl } from '../config-schemas.ts';
import type { KeyFileStatus } from '../upstream/key-file.ts';
import type { Secret } from '../secret.ts';
import { type AlertStore, fileAlertStore, memoryAlertStore } from './alert-store.ts';
import { type AlertFacts, Alerts } from './alerts.ts';
import { webhookSender } from './webhook.ts';

/** What the alerts are made of beside the configuration. */
export interface AlertParts {
  readonly clock: Clock;
  readonly keyName: () => string;
  readonly keyFile: () => KeyFileStatus | undefined;
  readonly status: () => CacheStatus;
  /** The store that all instances share; undefined without Redis. */
  readonly shared: AlertStore | undefined;
  readonly warn: (message: string) => void;
  readonly onFault: (fault: unknown) => void;
}

/** Begins to watch, and to tell the webhook at `address` where there is one. */
export function openAlerts(config: Config, address: Secret | undefined, parts: AlertParts): Alerts {
  const { clock, keyName, keyFile, status, shared, warn, onFault } = parts;
  const alerts = new Alerts({
    clock,
    store: shared ?? (config.stateDir === undefined ? memoryAlertStore() : fileAlertStore(config.stateDir)),
    keyName,
    facts: () => ({ ...alertFacts(status()), isNewKeyRefused: keyFile()?.state === 'refused' }),
    send: address && webhookSender(address),
    host: address === undefined ? null : new URL(address.reveal()).host,
    origin: config.publicUrl,
    statedDay: config.keyExpiresOn,
    warn,
    onFault,
  });
  const stated = alerts.keyExpiry();
  if (stated !== undefined && stated.inDays < 0)
    warn(`PULSE_API_KEY_EXPIRES is in the past (${stated.day}): set the day of the key that is in use`);
  void alerts.start();
  return alerts;
}

/** The address of the webhook, if one is configured. Throws `ConfigError` where its file holds none. */
export async function readAlertAddress({ alertUrl, alertUrlFile }: Config): Promise<Secret | undefined> {
  if (alertUrlFile === undefined) return alertUrl;
  const read = webhookUrl().safeParse(await readFile(alertUrlFile, 'utf8').catch(() => ''));
  if (read.success) return read.data;
  throw new ConfigError(['PULSE_ALERT_URL_FILE: must be a readable file with one https: address']);
}

function alertFacts({ key, degraded, sources }: CacheStatus): Omit<AlertFacts, 'isNewKeyRefused'> {
  return {
    isKeyRefused: key.state === 'refused',
    isServiceDown: degraded.includes('upstream_unavailable'),
    brokenSources: sources.filter(({ status }) => status === 'BROKEN'),
  };
}

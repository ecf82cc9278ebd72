import { UsageError } from '../usage.ts';

/** Whether the environment names the user's own account. Throws `UsageError` if only a part of the account is set. */
export function isHosted(env: Readonly<Record<string, string | undefined>>): boolean {
  const hasAddress = isSet(env['PULSE_BASE_URL']);
  const hasKey = isSet(env['PULSE_API_KEY']) || isSet(env['PULSE_API_KEY_FILE']);
  if (hasAddress === hasKey) return hasKey;
  throw new UsageError(
    hasKey
      ? 'PULSE_BASE_URL: is required together with a key, otherwise the demo account would be shown'
      : 'PULSE_API_KEY: is required together with PULSE_BASE_URL (or PULSE_API_KEY_FILE), otherwise the demo account would be shown',
  );
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

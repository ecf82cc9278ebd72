import { UsageError } from '../usage.ts';

/**
 * Whether the environment contains the URL and the key for the user's own account. Throws a `UsageError` if only the
 * URL or only the key is set.
 */
export function isHosted(env: Readonly<Record<string, string | undefined>>): boolean {
  const hasAddress = isSet(env['PULSE_BASE_URL']);
  const hasKey = isSet(env['PULSE_API_KEY']) || isSet(env['PULSE_API_KEY_FILE']);
  if (hasAddress === hasKey) return hasKey;
  throw new UsageError(
    hasKey
      ? 'PULSE_BASE_URL: is required if a key is set, because the demo account would be shown otherwise'
      : 'PULSE_API_KEY: is required if PULSE_BASE_URL is set, because the demo account would be shown otherwise. You can set PULSE_API_KEY_FILE instead',
  );
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

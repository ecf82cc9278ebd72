import { openTokenKeysFile, type TokenKeysFile } from './access/token-keys-file.ts';
import type { Clock } from './clock.ts';
import { type Config, ConfigRefused } from './config.ts';

/** Opens the keys of tokens where access is by token. Rejects where their file is bad, naming its variable and what is wrong. */
export async function openTokenKeys(
  { tokenKeysFile, reloadMs }: Pick<Config, 'tokenKeysFile' | 'reloadMs'>,
  clock: Clock,
  warn: (message: string) => void,
): Promise<TokenKeysFile | undefined> {
  if (tokenKeysFile === undefined) return undefined;
  try {
    return await openTokenKeysFile(tokenKeysFile, { clock, reloadMs, warn });
  } catch (error) {
    // The cause would add nothing but a stack.
    // eslint-disable-next-line preserve-caught-error
    throw new ConfigRefused([`PULSE_TOKEN_KEYS_FILE: ${error instanceof Error ? error.message : 'is not valid'}`]);
  }
}

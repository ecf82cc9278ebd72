import { readFile } from 'node:fs/promises';
import { parseTokenKeys, type TokenKeySet, TokenKeysError } from '@pulse-card/token';
import { type Clock, repeat } from '../clock.ts';
import { type Config, ConfigError } from '../config.ts';

/** The keys of tokens, over changes of their file. */
export interface TokenKeysFile {
  /** The current keys; a new object after each change. */
  current(): TokenKeySet;
  close(): void;
}

export interface TokenKeysFileOptions {
  readonly clock: Clock;
  /** How often the file is read, in ms. */
  readonly reloadMs: number;
  readonly warn: (message: string) => void;
}

/** Watches the key file. An invalid change is ignored: the last valid keys stay. Rejects if the file is invalid at the start. */
export async function openTokenKeysFile(
  path: string,
  { clock, reloadMs, warn }: TokenKeysFileOptions,
): Promise<TokenKeysFile> {
  let text = await readText(path);
  let keySet = await parseTokenKeys(text);
  let lastFault: string | undefined;

  async function look(): Promise<void> {
    let fault: string | undefined;
    try {
      const found = await readText(path);
      if (found !== text) keySet = await parseTokenKeys(found);
      text = found;
    } catch (error) {
      fault = error instanceof TokenKeysError ? error.message : 'can not be read';
    }
    if (fault !== undefined && fault !== lastFault)
      warn(`Cannot take the keys of tokens from their file, those before stay in force: ${fault}`);
    lastFault = fault;
  }

  return { current: () => keySet, close: repeat(clock, reloadMs, look, () => {}) };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    throw new TokenKeysError('is no file that can be read');
  }
}

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
    throw new ConfigError([`PULSE_TOKEN_KEYS_FILE: ${error instanceof Error ? error.message : 'is not valid'}`]);
  }
}

import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import { type TokenKeySet, TokenKeysError, parseTokenKeys } from './token-key-set.ts';
import { type Config, ConfigError } from '../config.ts';

/** The keys of tokens, over changes of their file. */
export interface TokenKeysFile {
  /** The keys in force; another object after each change. */
  current(): TokenKeySet;
  close(): void;
}

export interface TokenKeysFileOptions {
  readonly clock: Clock;
  /** How often the file is looked at, in ms. @default 5000 */
  readonly reloadMs?: number;
  /** @default nothing is said */
  readonly warn?: (message: string) => void;
}

/** Reads the keys of tokens from a file, again and again; a file that turns bad leaves those before in force. Rejects where it is bad at the start. */
export async function openTokenKeysFile(path: string, options: TokenKeysFileOptions): Promise<TokenKeysFile> {
  const { clock, reloadMs = 5_000, warn = () => {} } = options;
  let text = await readText(path);
  let keySet = parseTokenKeys(text);
  let lastFault: string | undefined;
  let isClosed = false;
  let cancel = (): void => {};

  async function look(): Promise<void> {
    const fault = await takeIn().then(
      () => undefined,
      (error: unknown) => (error instanceof TokenKeysError ? error.message : 'can not be read'),
    );
    if (fault !== undefined && fault !== lastFault)
      warn(`Cannot take the keys of tokens from their file, those before stay in force: ${fault}`);
    lastFault = fault;
    if (!isClosed) lookLater();
  }

  async function takeIn(): Promise<void> {
    const found = await readText(path);
    if (found === text) return;
    keySet = parseTokenKeys(found);
    text = found;
  }

  function lookLater(): void {
    cancel = clock.schedule(reloadMs, look);
  }

  lookLater();
  return {
    current: () => keySet,
    close() {
      isClosed = true;
      cancel();
    },
  };
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

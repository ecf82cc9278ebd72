import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import { readTokenKeys, TokenKeysRefused, type TokenRing } from './token-keys.ts';

/** The keys of tokens, over changes of their file. */
export interface TokenKeysFile {
  /** The keys in force; another object after each change. */
  current(): TokenRing;
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
  let ring = readTokenKeys(text);
  let lastFault: string | undefined;
  let isClosed = false;
  let cancel = (): void => {};

  async function look(): Promise<void> {
    const fault = await takeIn().then(
      () => undefined,
      (error: unknown) => (error instanceof TokenKeysRefused ? error.message : 'can not be read'),
    );
    if (fault !== undefined && fault !== lastFault)
      warn(`Cannot take the keys of tokens from their file, those before stay in force: ${fault}`);
    lastFault = fault;
    if (!isClosed) lookLater();
  }

  async function takeIn(): Promise<void> {
    const found = await readText(path);
    if (found === text) return;
    ring = readTokenKeys(found);
    text = found;
  }

  function lookLater(): void {
    cancel = clock.schedule(reloadMs, look);
  }

  lookLater();
  return {
    current: () => ring,
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
    throw new TokenKeysRefused('is no file that can be read');
  }
}

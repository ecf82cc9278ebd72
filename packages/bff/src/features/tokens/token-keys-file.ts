import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { parseTokenKeys, type TokenKeySet, TokenKeysError } from '@pulse-card/token';
import { type Clock, repeat } from '../../lib/clock.ts';
import { ConfigError } from '../../config/config.ts';

/** The variables of tokens. */
export const tokenVariables = {
  PULSE_TOKEN_KEYS_FILE: z
    .string()
    .optional()
    .describe(
      'A file that contains the keys that verify tokens. The BFF reads it again when it changes. Required with `PULSE_ACCESS=token`',
    ),
};

/** The keys that verify tokens. The keys are read again when their file changes. */
export interface TokenKeysFile {
  /** The current keys. Each change creates a new object. */
  current(): TokenKeySet;
  close(): void;
}

/**
 * Opens the keys that verify tokens, and watches their file. If a changed file is invalid, the last valid keys stay in
 * use. Rejects if the file is invalid at startup. The error names the variable and the problem.
 */
export async function openTokenKeys(
  path: string,
  { reloadMs, clock, warn }: { reloadMs: number; clock: Clock; warn: (message: string) => void },
): Promise<TokenKeysFile> {
  let { text, keySet } = await readTokenKeys(path);
  let lastFault: string | undefined;

  async function look(): Promise<void> {
    let fault: string | undefined;
    try {
      ({ text, keySet } = await readKeys(path, { text, keySet }));
    } catch (error) {
      fault = faultOf(error);
    }
    if (fault !== undefined && fault !== lastFault)
      warn(`Cannot read the token keys from their file; the previous keys stay in use: ${fault}`);
    lastFault = fault;
  }

  return {
    current: () => keySet,
    close: repeat(clock, reloadMs, look),
  };
}

interface Keys {
  readonly text: string;
  readonly keySet: TokenKeySet;
}

/** Reads the keys once. Rejects if the file is invalid. The error names the variable and the problem. */
export function readTokenKeys(path: string): Promise<Keys> {
  return readKeys(path).catch((error: unknown) => {
    throw new ConfigError([`PULSE_TOKEN_KEYS_FILE: ${faultOf(error)}`]);
  });
}

/** Reads the keys. If the file hasn't changed, returns the previous keys. */
async function readKeys(path: string, before?: Keys): Promise<Keys> {
  const text = await readFile(path, 'utf8');
  return text === before?.text ? before : { text, keySet: await parseTokenKeys(text) };
}

function faultOf(error: unknown): string {
  return error instanceof TokenKeysError ? error.message : 'cannot be read';
}

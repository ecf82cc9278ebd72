import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { ConfigError } from '../../config/config.ts';
import { readSecretLine } from '../../config/secret-file.ts';
import type { BackendDefinition } from '../../feature.ts';
import { ApiKey } from '../../lib/api-key.ts';
import type { KeyFile } from './key-file-reader.ts';
import { keyFileReport } from './key-file-report.ts';
import { KeyRing } from './key-ring.ts';

/** The variables of this backend. */
export const keyFileVariables = {
  PULSE_API_KEY_FILE: z
    .string()
    .optional()
    .describe('A file that contains the API key. The BFF reads it again when it changes'),
};

/** Reads the API key from a file that may change (`PULSE_API_KEY_FILE`). */
export const keyFileBackend: BackendDefinition<typeof keyFileVariables> = {
  variables: keyFileVariables,
  async open({ config: { reloadMs }, clock, warn }, { PULSE_API_KEY_FILE: path }) {
    if (path === undefined) return undefined;
    const keySource = await openKeyFile(path, { clock, reloadMs, warn });
    return { keySource, feature: keyFileReport(() => keySource.status()), close: () => keySource.close() };
  },
};

/** Opens a key file and reads it periodically. Throws `ConfigError` if the file contains no key. */
export async function openKeyFile(path: string, file: Omit<KeyFile, 'read'>): Promise<KeyRing> {
  const line = await readSecretLine('PULSE_API_KEY_FILE', path);
  const key = ApiKey.from(line);
  if (!key) throw new ConfigError([`PULSE_API_KEY_FILE: ${keyFault(line)}`]);
  return new KeyRing(key, { ...file, read: keyFileReader(path, file.warn) });
}

/** Explains why a line isn't a key, without repeating the line. */
function keyFault(line: string): string {
  if (/[^\x21-\x7e]/.test(line)) return 'the key contains a space or another character that is not visible ASCII';
  if (line.length < 8) return 'the key is too short; it must have at least 8 characters';
  return 'the key is too long; it must have at most 256 characters';
}

/**
 * Creates the function that reads a key file. If the file was removed outside the container, the function warns once,
 * because from then on, the process can't see changes to the file.
 */
function keyFileReader(path: string, warn: (message: string) => void): () => Promise<string> {
  let wasRemoved = false;
  return async () => {
    const text = await readFile(path, 'utf8');
    const isRemoved = (await stat(path)).nlink === 0;
    if (isRemoved && !wasRemoved) warn(REMOVED_KEY_FILE);
    wasRemoved = isRemoved;
    return text;
  };
}

/** If a container mounts a single file and the host replaces the file, the container keeps the old one. */
const REMOVED_KEY_FILE =
  'PULSE_API_KEY_FILE: the file was replaced, but this process still sees the old one (link count 0). Mount its folder, not the file, and restart';

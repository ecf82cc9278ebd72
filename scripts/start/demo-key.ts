import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { spawnSync } from 'node:child_process';

/** The program that creates the demo's key, and the file that receives it. */
export interface DemoKeyOptions {
  /** The service's program. */
  readonly main: string;
  readonly account: string;
  readonly keyFile: string;
  /** Variables that contain the location of the service's data. */
  readonly env: Readonly<Record<string, string>>;
}

const OWNER_ONLY = 0o600;

/**
 * Creates a new key for the demo's account in a file that only its owner can read. Revokes the key from the last start.
 */
export function renewDemoKey({ main, account, keyFile, env }: DemoKeyOptions): void {
  const before = existsSync(keyFile) ? keyIdOf(readFileSync(keyFile, 'utf8')) : undefined;
  const service = (...args: string[]) =>
    spawnSync(process.execPath, ['--conditions=source', main, ...args], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
  if (before !== undefined) service('keys', 'revoke', before);
  const { status, stdout, stderr } = service('keys', 'create', '--account', account);
  if (status !== 0) throw new Error(`Can’t create a key for the demo: ${stderr}`);
  mkdirSync(dirname(keyFile), { recursive: true });
  writeFileSync(keyFile, `${stdout.trim()}\n`, { mode: OWNER_ONLY });
}

function keyIdOf(key: string): string | undefined {
  return /^pk_([^_]+)_/.exec(key)?.[1];
}

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
 * Makes sure that the key file contains a valid key for the demo's account and can be read only by its owner. The key
 * from the last start stays, unless it has expired or the service's data was deleted.
 */
export function ensureDemoKey({ main, account, keyFile, env }: DemoKeyOptions): void {
  const service = (...args: string[]) =>
    spawnSync(process.execPath, ['--conditions=source', main, ...args], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
  if (existsSync(keyFile)) {
    const id = keyIdOf(readFileSync(keyFile, 'utf8'));
    const keys = service('keys', 'list').stdout.split('\n');
    if (keys.some((line) => line.startsWith(`${id} `) && line.includes(' active '))) return;
  }
  const { status, stdout, stderr } = service('keys', 'create', '--account', account);
  if (status !== 0) throw new Error(`Can’t create a key for the demo: ${stderr}`);
  mkdirSync(dirname(keyFile), { recursive: true });
  writeFileSync(keyFile, `${stdout.trim()}\n`, { mode: OWNER_ONLY });
}

function keyIdOf(key: string): string | undefined {
  return /^pk_([^_]+)_/.exec(key)?.[1];
}

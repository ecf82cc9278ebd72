import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Functions of `node:fs` that write, and the kind of their first argument: a path or a file descriptor. */
const WRITERS = ['writeFileSync', 'appendFileSync', 'openSync', 'mkdirSync', 'renameSync', 'linkSync'] as const;
const ASYNC_WRITERS = ['writeFile', 'appendFile', 'rename', 'mkdir', 'link', 'open'] as const;

/** A disk whose errors a test controls. */
export interface FaultyDisk extends Disposable {
  /** Writing under the folder fails with `ENOSPC`. */
  isFull: boolean;
}

/** Until the disk is disposed of, each write by this process under `folder` fails while the disk is full. */
export function openFaultyDisk(folder: string): FaultyDisk {
  const restores: (() => void)[] = [];
  const disk: FaultyDisk = {
    isFull: false,
    [Symbol.dispose]: () => {
      for (const restore of restores) restore();
      syncBuiltinESMExports();
    },
  };
  const failsFor = (name: string, [path, flags = 'r']: readonly unknown[]): boolean => {
    if (!disk.isFull || typeof path !== 'string' || !path.startsWith(folder)) return false;
    // Creating a folder that already exists doesn't need space.
    return name.startsWith('mkdir') ? !fs.existsSync(path) : !name.startsWith('open') || flags !== 'r';
  };
  for (const name of WRITERS)
    restores.push(
      replaced(fs, name, (original, args) => {
        if (failsFor(name, args)) throw diskFull();
        return original(...args);
      }),
    );
  for (const name of ASYNC_WRITERS)
    restores.push(
      replaced(fs.promises, name, (original, args) =>
        failsFor(name, args) ? Promise.reject(diskFull()) : original(...args),
      ),
    );
  syncBuiltinESMExports();
  return disk;
}

type Any = (...args: unknown[]) => unknown;

function replaced(holder: object, name: string, by: (original: Any, args: unknown[]) => unknown): () => void {
  const functions = holder as Record<string, Any>;
  const original = functions[name];
  if (original === undefined) throw new Error(`Cannot replace fs.${name}: there is none`);
  functions[name] = (...args: unknown[]) => by(original, args);
  return () => void (functions[name] = original);
}

function diskFull(): Error {
  return Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
}

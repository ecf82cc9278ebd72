import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../run.ts';

/** The folders in `packages/` that are published to npm: all except those of private packages. */
export function publishedPackages(root: string = ROOT): string[] {
  return readdirSync(join(root, 'packages')).filter((name) => {
    const text = readFileSync(join(root, 'packages', name, 'package.json'), 'utf8');
    return (JSON.parse(text) as { private?: boolean }).private !== true;
  });
}

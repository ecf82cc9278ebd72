import { readFileSync } from 'node:fs';

/** This package's version. */
export const VERSION: string = versionIn(new URL('../package.json', import.meta.url));

function versionIn(manifest: URL): string {
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

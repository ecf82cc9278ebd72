import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder that `npm run build` copies the pages into. */
export const STUDIO_FOLDER = fileURLToPath(new URL('../../dist/studio', import.meta.url));

/** The version of this package. */
export function packageVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

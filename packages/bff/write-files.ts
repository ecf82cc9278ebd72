import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { descriptionYaml } from './describe.ts';
import { DESCRIPTION_FILES } from './src/features/files/files.ts';

// Writes what `tsc` doesn't: the scripts that Redis runs, next to the compiled module that reads them, and the OpenAPI
// descriptions.
const DIST = join(import.meta.dirname, 'dist');
const REDIS = 'features/redis';

mkdirSync(DIST, { recursive: true });
cpSync(join(import.meta.dirname, 'src', REDIS), join(DIST, REDIS), {
  recursive: true,
  filter: (path) => !/\.\w+$/.test(path) || path.endsWith('.lua'),
});
for (const access of ['public', 'token'] as const)
  writeFileSync(join(DIST, DESCRIPTION_FILES[access]), descriptionYaml({ access }));

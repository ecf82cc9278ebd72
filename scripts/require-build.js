// Stops `pnpm pack` and `pnpm publish` in a package that isn't built. Each published package runs this file as `prepack`,
// in its own folder.
import { existsSync } from 'node:fs';

// The build writes the notices near its end. If they are missing, the package might be compiled but isn't complete.
if (!existsSync('dist/THIRD-PARTY-NOTICES.txt')) {
  console.error('This package isn\'t built. Run "npm run build" in the repository root first.');
  process.exit(1);
}

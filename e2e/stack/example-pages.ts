import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@pulse-card/testkit/root';
import type { Stack } from '@pulse-card/testkit/stack';

/** Replaces the URLs of `npm start` with the URLs of this stack. */
function withAddresses(text: string, { bffUrl, serviceUrl }: Stack): string {
  return text.replaceAll('http://localhost:4020', bffUrl).replaceAll('http://localhost:4010', serviceUrl);
}

/** Reads an example file and fills in this stack's URLs. */
export function exampleText(path: string, stack: Stack): string {
  return withAddresses(readFileSync(join(ROOT, 'examples', path), 'utf8'), stack);
}

/** Puts an example on the stack's site. If the example has a build, puts the build there. Returns the URL. */
export function putExample(name: string, stack: Stack): string {
  const example = join(ROOT, 'examples', name);
  const folder = existsSync(join(example, 'vite.config.ts')) ? join(example, 'dist') : example;
  stack.site.putFolder(`/${name}`, folder, (text) => withAddresses(text, stack));
  return `${stack.site.origin}/${name}/index.html`;
}

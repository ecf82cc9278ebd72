import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { ROOT } from '../../scripts/run.ts';
import type { Stack } from '@pulse-card/testkit/stack';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** Reads a file of the examples, and replaces the addresses of `npm start` with the addresses of this stack. */
export function exampleText(path: string, { bffUrl, serviceUrl }: Stack): string {
  const text = readFileSync(join(ROOT, 'examples', path), 'utf8');
  return text.replaceAll('http://localhost:4020', bffUrl).replaceAll('http://localhost:4010', serviceUrl);
}

/** Puts an example on the stack's site. If the example has a build, puts the build there. Returns the address. */
export function putExample(name: string, stack: Stack): string {
  const built = existsSync(join(ROOT, 'examples', name, 'vite.config.ts'));
  const folder = join(name, built ? 'dist' : '');
  for (const file of filesIn(folder))
    stack.site.put(`/${name}/${file}`, exampleText(join(folder, file), stack), {
      'content-type': TYPES[extname(file)] ?? '',
    });
  return `${stack.site.origin}/${name}/index.html`;
}

function filesIn(folder: string): string[] {
  const root = join(ROOT, 'examples', folder);
  const all = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return all.filter((file) => extname(file) in TYPES && statSync(join(root, file)).isFile());
}

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lexer } from 'marked';
import type { Plugin } from 'vite';

/** A `<picture>` in a guide, with a light and a dark version. */
const PICTURE =
  /<picture>\s*<source [^>]*srcset="(?<dark>[^"]+\.png)">\s*<img src="(?<light>[^"]+\.png)" width="(?<width>\d+)" alt="(?<alt>[^"]*)">/;

/**
 * Reads the Markdown of docs/ while the Studio is built: `import guide from '…/embed.md'` returns the tokens of `marked`.
 * A picture becomes a token of the type `picture`, with the addresses of its files.
 */
export function guidesPlugin(): Plugin {
  return {
    name: 'guides',
    transform: {
      filter: { id: /\.md$/ },
      handler: (text, id) => ({ code: moduleOf(text, dirname(id.replace(/\?.*/, ''))), map: null }),
    },
  };
}

function moduleOf(text: string, folder: string): string {
  const imports: string[] = [];
  const tokens = lexer(text).map((token) => {
    const picture = token.type === 'html' ? PICTURE.exec(token.raw)?.groups : undefined;
    if (picture === undefined) return JSON.stringify(token);
    const { light = '', dark = '', alt = '', width = '' } = picture;
    const at = imports.length;
    imports.push(`import light${at} from ${JSON.stringify(light)};`, `import dark${at} from ${JSON.stringify(dark)};`);
    const { width: pixels, height } = sizeOf(join(folder, light));
    const size = { width: Number(width), height: Math.round((Number(width) * height) / pixels) };
    const fields = JSON.stringify({ type: 'picture', raw: token.raw, alt, ...size }).slice(1, -1);
    return `{${fields},light:light${at},dark:dark${at}}`;
  });
  return `${imports.join('\n')}\nexport default [${tokens.join(',')}];`;
}

/** The size of a PNG, read from its first chunk. */
function sizeOf(file: string): { readonly width: number; readonly height: number } {
  const png = readFileSync(file);
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}

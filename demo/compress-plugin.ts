import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** The text files. Fonts and images are already compressed. */
const TEXT = /\.(?:js|css|html|svg)$/;

/** Compression doesn't help smaller files. */
const MIN_BYTES = 200;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** Writes a `.br` and a `.gz` file next to each text file in a build, for servers that serve precompressed files. */
export function compressPlugin(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const outputs = Object.values(bundle).filter(({ fileName }) => TEXT.test(fileName));
      await Promise.all(
        outputs.map(async (output) => {
          const content = Buffer.from(output.type === 'chunk' ? output.code : output.source);
          if (content.length < MIN_BYTES) return;
          const path = join(dir, output.fileName);
          await writeFile(`${path}.br`, await toBrotli(content));
          await writeFile(`${path}.gz`, await toGzip(content));
        }),
      );
    },
  };
}

import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

// Writes `dist/web`: the files that pages load, under the names that pages request, with compressed copies.
// Any server can serve this folder as is.

const DIST = join(import.meta.dirname, '../dist');
const WEB = join(DIST, 'web');

/** Matches the files in `dist` that pages load under the same name. */
const SERVED =
  /^(?:pulse-(?:card|board)(?:-[\w-]+)?\.(?:js|css)|pulse-frame(?:-page)?\.js|pulse-icon\.svg|THIRD-PARTY-NOTICES\.txt)$/;

rmSync(WEB, { recursive: true, force: true });
mkdirSync(WEB);
for (const name of readdirSync(DIST).filter((each) => SERVED.test(each))) cpSync(join(DIST, name), join(WEB, name));
if (existsSync(join(DIST, 'lang'))) cpSync(join(DIST, 'lang'), join(WEB, 'pulse-card-lang'), { recursive: true });
// Also writes the two scripts under file names that change with their content.
for (const name of ['pulse-card', 'pulse-board']) {
  const script = readFileSync(join(WEB, `${name}.js`));
  const hash = createHash('sha256').update(script).digest('hex').slice(0, 16);
  writeFileSync(join(WEB, `${name}-${hash}.js`), script);
}
for (const entry of readdirSync(WEB, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || extname(entry.name) === '.map') continue;
  const path = join(entry.parentPath, entry.name);
  const bytes = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}

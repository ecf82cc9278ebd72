import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MAX_BROTLI_QUALITY, Representation } from '../../http/representation.ts';
import type { WidgetFiles } from '../../http/widget-files.ts';

/** Content types by file extension. */
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** The names of the other files that pages load from the script's folder. */
const SERVED =
  /^(?:pulse-card-[0-9a-f]+\.css|pulse-card-(?:after-paint|extras)-[0-9a-f]+\.js|pulse-frame(?:-page)?\.js|pulse-icon\.svg|THIRD-PARTY-NOTICES\.txt)$/;

/** How many characters of the script's SHA-256 are in the script's immutable address. */
const HASH_LENGTH = 16;

/** The path of the script in the widget's package. */
export function widgetScriptPath(): string {
  return fileURLToPath(import.meta.resolve('@pulse-card/widget/pulse-card.js'));
}

/** Reads the built widget. Returns undefined if the widget isn't built. */
export function readWidgetFiles(scriptPath: string): WidgetFiles | undefined {
  if (!existsSync(scriptPath)) return undefined;
  const folder = dirname(scriptPath);
  const script = readRepresentation(scriptPath);
  const hash = hashOf(script);
  const board = join(folder, 'pulse-board.js');
  // The script comes last, because an export must first write the files that the script loads.
  const byPath = new Map([
    ...filesIn(join(folder, 'lang'), /\.js(?:on)?$/).map(
      (name) => [`/pulse-card-lang/${name}`, readRepresentation(join(folder, 'lang', name))] as const,
    ),
    ...filesIn(folder, SERVED).map((name) => [`/${name}`, readRepresentation(join(folder, name))] as const),
    ...(existsSync(board) ? scriptPaths('pulse-board', readRepresentation(board)) : []),
    ...scriptPaths('pulse-card', script),
  ]);
  return { hash, integrity: integrityOf(script), publishedUrl: publishedUrlOf(folder), byPath };
}

/**
 * The CDN address of the script; null if the script isn't in the `dist` folder of a published package. A published
 * package contains no sources.
 */
function publishedUrlOf(dist: string): string | null {
  if (existsSync(join(dist, '../src'))) return null;
  const { name, version } = JSON.parse(readFileSync(join(dist, '../package.json'), 'utf8')) as Record<string, string>;
  return `https://cdn.jsdelivr.net/npm/${name}@${version}/dist/pulse-card.js`;
}

/** The two addresses of a script: one contains the hash of its bytes, and the other one never changes. */
function scriptPaths(name: string, script: Representation): (readonly [string, Representation])[] {
  return [
    [`/${name}-${hashOf(script)}.js`, script],
    [`/${name}.js`, script],
  ];
}

function hashOf(script: Representation): string {
  return createHash('sha256').update(script.in('identity').bytes).digest('hex').slice(0, HASH_LENGTH);
}

function integrityOf(script: Representation): string {
  return `sha384-${createHash('sha384').update(script.in('identity').bytes).digest('base64')}`;
}

function filesIn(folder: string, names: RegExp): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => names.test(name)) : [];
}

function readRepresentation(path: string): Representation {
  return new Representation(readFileSync(path), TYPES[extname(path)] ?? '', { brotliQuality: MAX_BROTLI_QUALITY });
}

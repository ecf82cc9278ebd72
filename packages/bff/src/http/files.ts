import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config/config.ts';
import type { RequestContext } from './request-context.ts';
import type { RouteParts } from './route.ts';
import { OPEN_TO_ALL } from './origins.ts';
import { MAX_BROTLI_QUALITY, Representation } from './representation.ts';
import { CHANGING, fileCacheControl, IMMUTABLE } from './cache-headers.ts';
import { sendError } from './errors.ts';
import { sendBody } from './respond.ts';

/** The files of the built widget. */
export interface WidgetFiles {
  readonly script: Representation;
  /** The `<hash>` of `/pulse-card-<hash>.js`. */
  readonly hash: string;
  /**
   * The script's address in its package on a CDN, which stays valid when this server is upgraded. Null if the script
   * isn't released.
   */
  readonly publishedUrl: string | null;
  /** All files that pages load, by path: script, style sheet, scripts of frames, languages. */
  readonly byPath: ReadonlyMap<string, Representation>;
}

/** Content types by file extension. */
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** The names of files next to the script that pages load. */
const SERVED =
  /^(?:pulse-card-[0-9a-f]+\.css|pulse-card-extras-[0-9a-f]+\.js|pulse-frame(?:-page)?\.js|pulse-icon\.svg|THIRD-PARTY-NOTICES\.txt)$/;

/** Characters of the script's SHA-256 in its immutable address. */
const HASH_LENGTH = 16;

/** The path of the script in the widget's package. */
export function widgetScriptPath(): string {
  return fileURLToPath(import.meta.resolve('@pulse-card/widget/pulse-card.js'));
}

/** Reads the built widget; undefined if it is not built. */
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
  return { script, hash, publishedUrl: publishedUrlOf(folder), byPath };
}

/** The address of the script if it is in `dist` of a published package, which contains no sources. */
function publishedUrlOf(dist: string): string | null {
  if (existsSync(join(dist, '../src'))) return null;
  const { name, version } = JSON.parse(readFileSync(join(dist, '../package.json'), 'utf8')) as Record<string, string>;
  return `https://cdn.jsdelivr.net/npm/${name}@${version}/dist/pulse-card.js`;
}

/** The addresses of a script: one with the hash of its bytes, and one that never changes. */
function scriptPaths(name: string, script: Representation): (readonly [string, Representation])[] {
  return [
    [`/${name}-${hashOf(script)}.js`, script],
    [`/${name}.js`, script],
  ];
}

function hashOf(script: Representation): string {
  return createHash('sha256').update(script.in('identity').bytes).digest('hex').slice(0, HASH_LENGTH);
}

/** The hash source and `integrity` of a script. */
export function integrityOf(script: Representation, algorithm: 'sha256' | 'sha384' | 'sha512' = 'sha384'): string {
  return `${algorithm}-${createHash(algorithm).update(script.in('identity').bytes).digest('base64')}`;
}

function filesIn(folder: string, names: RegExp): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => names.test(name)) : [];
}

function readRepresentation(path: string): Representation {
  return new Representation(readFileSync(path), TYPES[extname(path)] ?? '', { brotliQuality: MAX_BROTLI_QUALITY });
}

/** The routes of files, as named in the log and in metrics. */
export const FILE_ROUTES = [
  '/v1/openapi.yaml',
  '/pulse-card.js',
  '/pulse-card-extras-:hash.js',
  '/pulse-card-:hash.js',
  '/pulse-board.js',
  '/pulse-board-:hash.js',
  '/pulse-card-:hash.css',
  '/pulse-frame.js',
  '/pulse-frame-page.js',
  '/pulse-icon.svg',
  '/pulse-card-lang/:file',
  '/THIRD-PARTY-NOTICES.txt',
] as const;

/** A path with the hash of its file. */
const HASHED_PATH = /^\/pulse-(?:card|card-extras|board)-[0-9a-f]+\.(?:js|css)$/;

/** Responds with the file at the path of the request. Anyone may load it from any page. */
export function sendFile(context: RequestContext, { files }: RouteParts): void {
  const file = files.get(context.target.path);
  if (file !== undefined) {
    const policy = HASHED_PATH.test(context.target.path) ? IMMUTABLE : CHANGING;
    const cacheControl = fileCacheControl(policy, context.cacheScope);
    return sendBody(context, file, [...OPEN_TO_ALL, 'Cache-Control', cacheControl]);
  }
  const isBuilt = files.has('/pulse-card.js');
  return sendError(context, 'not_found', isBuilt ? {} : { error: 'The card is not built on this server' });
}

/** The address in the description's files that is replaced with the BFF's address. */
export const EXAMPLE_URL = 'https://pulse.example.com';

/** The files that `npm run docs:reference` generates from the contract, by access. */
export const DESCRIPTION_FILES = { public: 'openapi.yaml', token: 'openapi-token.yaml' } as const;

/** Reads the OpenAPI 3.1 description of this BFF. */
export function readDescription({ publicUrl, access }: Pick<Config, 'publicUrl' | 'access'>): Representation {
  const text = readFileSync(new URL(DESCRIPTION_FILES[access], import.meta.url), 'utf8');
  return new Representation(text.replace(EXAMPLE_URL, publicUrl), 'application/yaml; charset=utf-8');
}

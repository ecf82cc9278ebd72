import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The files of the built card that pages load. */
export interface WidgetFiles {
  /** The folder that contains the files under the names that pages request. */
  readonly folder: string;
  /** Their paths, such as `/pulse-card.js`. */
  readonly paths: ReadonlySet<string>;
  /** The `<hash>` of `/pulse-card-<hash>.js`. */
  readonly hash: string;
  /** The `integrity` of the script. */
  readonly integrity: string;
  /** The URL of the script in its npm package on a CDN; null if it isn't in a published package. */
  readonly publishedUrl: string | null;
}

/** The built card of the installed widget. Undefined if it isn't built. */
export function widgetFiles(
  dist = dirname(fileURLToPath(import.meta.resolve('@pulse-card/widget/pulse-card.js'))),
): WidgetFiles | undefined {
  const folder = join(dist, 'web');
  if (!existsSync(join(folder, 'pulse-card.js'))) return undefined;
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = names.map(({ name, parentPath }) => `${parentPath.slice(folder.length).replaceAll('\\', '/')}/${name}`);
  const script = readFileSync(join(folder, 'pulse-card.js'));
  return {
    folder,
    paths: new Set(paths.filter((path) => !/\.(?:br|gz)$/.test(path))),
    hash: createHash('sha256').update(script).digest('hex').slice(0, 16),
    integrity: `sha384-${createHash('sha384').update(script).digest('base64')}`,
    publishedUrl: publishedUrlOf(dist),
  };
}

/** Published packages don't contain sources. */
function publishedUrlOf(dist: string): string | null {
  if (existsSync(join(dist, '../src'))) return null;
  const { name, version } = JSON.parse(readFileSync(join(dist, '../package.json'), 'utf8')) as Record<string, string>;
  return `https://cdn.jsdelivr.net/npm/${name}@${version}/dist/pulse-card.js`;
}

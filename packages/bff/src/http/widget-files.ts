import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MAX_BROTLI_QUALITY, Representation } from './representation.ts';

const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

/** What a language file may be, by its ending. */
const LANGUAGE_TYPES: Readonly<Record<string, string>> = {
  '.js': SCRIPT_TYPE,
  '.json': 'application/json; charset=utf-8',
};

const SERVED = /^(pulse-card-[0-9a-f]+\.css|pulse-frame(-page)?\.js)$/;

/** Where the widget's build puts its languages, beside the script. */
const LANGUAGE_FOLDER = 'lang';

/** Characters of the script's SHA-256 in its immutable address. */
const HASH_LENGTH = 16;

/** The widget as it was built. */
export interface WidgetFiles {
  readonly script: Representation;
  /** What `/pulse-card-<hash>.js` has for `<hash>`. */
  readonly hash: string;
  /** What pages need that a server rendered, by file name: the style sheet, the scripts of frames. */
  readonly served: ReadonlyMap<string, Representation>;
  /** Languages by file name. */
  readonly languages: ReadonlyMap<string, Representation>;
}

/** The paths of all files: what every page with a card loads. */
export function widgetPaths({ hash, served, languages }: WidgetFiles): string[] {
  const names = ['pulse-card.js', `pulse-card-${hash}.js`, ...served.keys()];
  return [...names.map((name) => `/${name}`), ...Array.from(languages.keys(), (name) => `/pulse-card-lang/${name}`)];
}

/** Where the widget's package says that its script is. */
export function widgetScriptPath(): string {
  return fileURLToPath(import.meta.resolve('@pulse-card/widget/pulse-card.js'));
}

/** Reads the built widget, once; undefined where it is not built. */
export function readWidgetFiles(scriptPath: string): WidgetFiles | undefined {
  if (!existsSync(scriptPath)) return undefined;
  const script = readFileSync(scriptPath);
  const hash = createHash('sha256').update(script).digest('hex').slice(0, HASH_LENGTH);
  return {
    script: new Representation(script, SCRIPT_TYPE, MAX_BROTLI_QUALITY),
    hash,
    served: servedIn(dirname(scriptPath)),
    languages: languagesIn(join(dirname(scriptPath), LANGUAGE_FOLDER)),
  };
}

function servedIn(folder: string): Map<string, Representation> {
  const names = readdirSync(folder).filter((name) => SERVED.test(name));
  return new Map(names.map((name) => [name, servedBody(join(folder, name))]));
}

function servedBody(path: string): Representation {
  return new Representation(
    readFileSync(path),
    extname(path) === '.css' ? 'text/css; charset=utf-8' : SCRIPT_TYPE,
    MAX_BROTLI_QUALITY,
  );
}

function languagesIn(folder: string): Map<string, Representation> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder).filter((name) => extname(name) in LANGUAGE_TYPES);
  return new Map(names.map((name) => [name, languageBody(join(folder, name))]));
}

function languageBody(path: string): Representation {
  return new Representation(readFileSync(path), LANGUAGE_TYPES[extname(path)] ?? SCRIPT_TYPE, MAX_BROTLI_QUALITY);
}

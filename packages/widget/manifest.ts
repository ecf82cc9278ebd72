import { readFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { type Declaration, elementsOf, type Entry, type Manifest } from './build/manifest.ts';

const FOLDER = import.meta.dirname;
const README = `${FOLDER}/README.md`;
const TABLES = /(<!-- tables -->\n)[\s\S]*(<!-- \/tables -->)/;

/** Writes `custom-elements.json` from the classes of the elements, and from that the tables of the README. */
function writeManifest(): void {
  execFileSync(`${FOLDER}/node_modules/.bin/cem`, ['analyze', '--config', 'custom-elements-manifest.config.js'], {
    cwd: FOLDER,
  });
  const manifest = JSON.parse(readFileSync(`${FOLDER}/custom-elements.json`, 'utf8')) as Manifest;
  const elements = elementsOf(manifest);
  if (elements.length === 0) throw new Error('Cannot write the tables: the manifest names no element');
  const tables = elements.map(tablesOf).join('');
  writeFileSync(
    README,
    readFileSync(README, 'utf8').replace(TABLES, (_, start, end) => `${start}${tables}${end}`),
  );
}

function tablesOf({
  tagName,
  attributes,
  members,
  slots,
  cssParts,
  cssProperties,
  cssStates,
  events,
}: Declaration): string {
  return [
    `### \`<${tagName}>\`\n\n`,
    table(
      'Attributes',
      ['attribute', 'type', 'default', ''],
      attributes,
      ({ name, type, default: value, description }) => [code(name), code(type?.text), code(value), description],
    ),
    table(
      'Properties without an attribute',
      ['property', 'type', ''],
      members?.filter(({ kind, attribute, static: isStatic }) => kind === 'field' && !attribute && !isStatic),
      ({ name, type, description }) => [code(name), code(type?.text), description],
    ),
    table(
      'Methods',
      ['method', ''],
      members?.filter(({ kind }) => kind === 'method'),
      ({ name, description }) => [code(`${name}()`), description],
    ),
    table('Slots', ['slot', ''], slots, ({ name, description }) => [name ? code(name) : '(default)', description]),
    table('Parts', ['part', ''], cssParts, ({ name, description }) => [code(name), description]),
    table('Custom properties', ['property', 'default', ''], cssProperties, ({ name, default: value, description }) => [
      code(name),
      code(value),
      description,
    ]),
    table('States', ['state', ''], cssStates, ({ name, description }) => [code(`:state(${name})`), description]),
    table('Events', ['event', ''], events, ({ name, description }) => [code(name), description]),
  ].join('');
}

function table(
  title: string,
  heads: readonly string[],
  entries: readonly Entry[] = [],
  cells: (entry: Entry) => readonly (string | undefined)[] = () => [],
): string {
  const rows = [heads, heads.map(() => '---'), ...entries.map(cells)];
  return `#### ${title}\n\n${rows.map((row) => `| ${row.map((cell) => (cell ?? '').replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`).join('\n')}\n\n`;
}

function code(text: string | undefined): string {
  return text ? `\`${text}\`` : '';
}

writeManifest();

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cssData, htmlData, webTypes } from './build/editor-data.ts';
import { elementsOf, type Manifest } from './build/manifest.ts';

const FOLDER = import.meta.dirname;
const EDITOR = `${FOLDER}/dist/editor`;

/** Reads the manifest and writes the elements' data for editors to `dist/editor`. */
function writeEditorData(): void {
  const elements = elementsOf(readJson('custom-elements.json') as Manifest);
  const { name, version } = readJson('package.json') as { name: string; version: string };
  mkdirSync(EDITOR, { recursive: true });
  const files = {
    'vscode.html-custom-data.json': htmlData(elements),
    'vscode.css-custom-data.json': cssData(elements),
    'web-types.json': webTypes(elements, { name, version }),
  };
  for (const [file, data] of Object.entries(files))
    writeFileSync(`${EDITOR}/${file}`, `${JSON.stringify(data, null, 2)}\n`);
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8'));
}

writeEditorData();

// Prints the script tag that pins the built card to its bytes, for the notes of a release.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const widget = new URL('../packages/widget/', import.meta.url);
const { name, version } = JSON.parse(readFileSync(new URL('package.json', widget), 'utf8'));
const digest = createHash('sha384')
  .update(readFileSync(new URL('dist/pulse-card.js', widget)))
  .digest('base64');

console.log(`<script type="module" src="https://cdn.jsdelivr.net/npm/${name}@${version}/dist/pulse-card.js"
  integrity="sha384-${digest}" crossorigin="anonymous"></script>`);

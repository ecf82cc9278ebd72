import { readFile } from 'node:fs/promises';
import { VERSION } from './version.ts';

/** An MCP App's media type. */
export const APP_TYPE = 'text/html;profile=mcp-app';

/** The URL of the MCP App. Hosts cache its content by URL, so the URL contains the version. */
export const APP_URI = `ui://pulse-card/card-${VERSION}.html`;

/** The card and everything that it needs, built by Vite. */
const SCRIPT = new URL('../dist/pulse-card-app.js', import.meta.url);

const STYLES = `html { color-scheme: light dark; background: transparent }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif }
[slot=footer] { font-size: 0.75em; font-weight: 550; color: light-dark(#7f4700, #f2bb66) }`;

let html: Promise<string> | undefined;

/** The MCP App that shows a pulse: a single page that doesn't load anything. */
export function cardApp(): Promise<string> {
  return (html ??= readFile(SCRIPT, 'utf8').then(pageOf));
}

function pageOf(script: string): string {
  // These characters end or change an inline script.
  const inline = script.replaceAll('</script', String.raw`<\/script`).replaceAll('<!--', String.raw`<\!--`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Pulse Card</title>
<style>${STYLES}</style>
<body>
<script type="module">${inline}</script>
</html>
`;
}

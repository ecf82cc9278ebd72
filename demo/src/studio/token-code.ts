import { indented } from './code-text.ts';
import type { Settings } from './settings.ts';

/** An example URL from which the pages on a portal get a token. */
export const TOKEN_ADDRESS = '/pulse-token';

/** A token provider. The function throws if the portal answers with an error, because an error page isn't a token. */
export const TOKEN_FUNCTION = [
  'async () => {',
  `  const response = await fetch('${TOKEN_ADDRESS}');`,
  `  if (!response.ok) throw new Error('${TOKEN_ADDRESS} returned ' + response.status);`,
  '  return response.text();',
  '}',
].join('\n');

/** The lines that declare the token provider as `fetchToken`. */
export const FETCH_TOKEN = `const fetchToken = ${TOKEN_FUNCTION};`.split('\n');

/** The lines that sign a token for one source on the portal's server. */
export const SERVER_TOKEN = [
  '// A key of PULSE_TOKEN_KEYS_FILE.',
  "const key = { kid: 'portal-2026', secret: process.env.PORTAL_TOKEN_SECRET };",
  'const token = await mintToken(key, { audience: baseUrl, sources: [sourceId] });',
  'const headers = { Authorization: `Bearer ${token}` };',
];

export function tokenScript({ sourceId }: Pick<Settings, 'sourceId'>, isPrivate: boolean): readonly string[] {
  return isPrivate ? tokenLines(`pulse-card[source-id="${sourceId}"]`) : [];
}

/** The script that gives the element its tokens. */
export function tokenLines(selector: string): readonly string[] {
  return [
    '<script type="module">',
    ...indented(`document.querySelector('${selector}').tokenProvider = ${TOKEN_FUNCTION};`.split('\n')),
    '</script>',
  ];
}

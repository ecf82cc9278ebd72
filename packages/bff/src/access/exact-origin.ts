/** A host as `URL.hostname` spells it. Browsers allow more (`*`, `;`, `'`), which means something else in a policy. */
const HOST = /^(?:\[[\da-f:.]+\]|[\da-z_.-]+)$/;

/** Says whether `hostname` is a plain host: ASCII, lower case, no wildcard. */
export function isPlainHost(hostname: string): boolean {
  return HOST.test(hostname);
}

/** Says whether `text` is an origin exactly as browsers send it: `https://www.example.com`, `http://localhost:8123`. */
export function isExactOrigin(text: unknown): text is string {
  return typeof text === 'string' && originFault(text) === undefined;
}

/** Says what keeps `text` from being an exact origin, and what to write instead; undefined where nothing does. */
export function originFault(text: string): string | undefined {
  if (text.includes('*')) return 'has a wildcard; list each origin, as in https://a.example.com,https://b.example.com';
  if (!/^https?:\/\//i.test(text))
    return 'does not begin with https:// or http://; write it as in https://www.example.com';
  if (!URL.canParse(text)) return 'is not an origin; write it as in https://www.example.com';
  const url = new URL(text);
  if (url.origin === text && isPlainHost(url.hostname)) return undefined;
  return `${partTooMuch(text, url)}; write it as in https://www.example.com`;
}

function partTooMuch(text: string, url: URL): string {
  if (url.username !== '' || url.password !== '') return 'has a user name; leave it out';
  if (url.search !== '' || url.hash !== '') return 'has a query or fragment; leave it out';
  if (url.pathname !== '/') return 'has a path; leave it out';
  if (/[^\x21-\x7e]/.test(text)) return 'has characters beyond ASCII; write the xn-- form that browsers send';
  if (text.endsWith('/')) return 'ends with a slash; leave it out';
  if (text !== text.toLowerCase()) return 'has capital letters; use lower case';
  if (/:(?:80|443)$/.test(text)) return "names its scheme's default port; leave it out";
  return 'is not an origin as browsers send it';
}

const SERIALIZED = /^(?:null|[a-z][a-z\d+.-]{0,30}:\/\/[\w.:[\]-]{1,255})$/;

/** Says whether `text` is what a browser may send as `Origin`: of any scheme (an application's, an extension's), or `null`. */
export function isSerializedOrigin(text: string): boolean {
  return SERIALIZED.test(text);
}

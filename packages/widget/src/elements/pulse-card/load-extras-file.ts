import { warnOnce } from '../../diagnostics/warn-once.ts';
import type { Extras } from './load-extras.ts';

/** The name of the file, which contains the hash of its bytes. The build inserts the name. */
declare const EXTRAS_FILE: string;
/** The `integrity` of the file. The build inserts the digest. */
declare const EXTRAS_INTEGRITY: string;

export type { Extras };

let loading: Promise<Extras | undefined> | undefined;

/**
 * Loads the code for presses and some attributes from a file next to this script. Resolves to undefined if the file
 * can't be loaded.
 */
export function loadExtras(): Promise<Extras | undefined> {
  const url = new URL(/* @vite-ignore */ EXTRAS_FILE, import.meta.url).href;
  return (loading ??= importChecked(url).catch(() => {
    warnOnce(`Cannot load ${url}: put it next to pulse-card.js, and let script-src allow it`);
    return undefined;
  }));
}

/**
 * Imports the script at `url`. If the page pins this file with `integrity`, the imported script must match the digest
 * that this file contains.
 */
async function importChecked(url: string): Promise<Extras> {
  const scripts = Document.prototype.querySelectorAll.call(document, 'script[integrity]');
  const pinned = ([...scripts] as HTMLScriptElement[]).find(({ src }) => src === import.meta.url);
  if (pinned) await loadChecked(url, pinned);
  // A script that the page has already loaded isn't loaded again.
  return import(/* @vite-ignore */ url) as Promise<Extras>;
}

/** Resolves once the browser has run the script at `url`. Rejects if the digest of the script is different. */
function loadChecked(url: string, { nonce }: HTMLScriptElement): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const script = Document.prototype.createElement.call(document, 'script') as HTMLScriptElement;
    Object.assign(script, { type: 'module', crossOrigin: '', integrity: EXTRAS_INTEGRITY, nonce });
    Object.assign(script, { onload: resolve, onerror: reject, src: trusted(url) });
    document.head.append(script);
  });
}

/** Converts the address into the type that a page with Trusted Types requires. */
function trusted(url: string): unknown {
  const { trustedTypes } = globalThis as unknown as { trustedTypes?: TrustedTypes };
  return trustedTypes?.createPolicy('pulse-card', { createScriptURL: () => url }).createScriptURL('') ?? url;
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL(url: string): unknown };
}

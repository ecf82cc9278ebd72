import { warnOnce } from '../diagnostics/warn-once.ts';
import { create, findAll, propertyOf } from '../dom.ts';
import type { AfterPaint, Extras } from './imports.ts';

export type { AfterPaint, Extras };

/** A file next to the script. */
interface ScriptFile {
  /** Contains a hash of the file's content. */
  readonly name: string;
  readonly integrity: string;
}

/** The files. The build inserts their names and digests. */
declare const AFTER_PAINT: ScriptFile;
declare const EXTRAS: ScriptFile;

export function importAfterPaint(attempt: number): Promise<AfterPaint> {
  return importFile(AFTER_PAINT, attempt) as Promise<AfterPaint>;
}

export function importExtras(attempt: number): Promise<Extras> {
  return importFile(EXTRAS, attempt) as Promise<Extras>;
}

async function importFile({ name, integrity }: ScriptFile, attempt: number): Promise<unknown> {
  try {
    const { href } = new URL(/* @vite-ignore */ name, import.meta.url);
    // Browsers remember that a script couldn't be loaded, so another attempt needs a different URL.
    // In Chromium, a different fragment isn't enough.
    return await importChecked(attempt ? `${href}?${attempt}` : href, integrity);
  } catch (cause) {
    warnOnce(`Can’t load ${name}: put it next to pulse-card.js, and allow it in script-src`);
    throw cause;
  }
}

/**
 * Imports the script at `url`. If the page pins this file with `integrity`, the imported script must match the digest
 * that this file contains.
 */
async function importChecked(url: string, integrity: string): Promise<unknown> {
  const pinned = findAll<HTMLScriptElement>('script[integrity]').find(({ src }) => src === import.meta.url);
  if (pinned) await loadChecked(url, integrity, pinned);
  // A script that the page has already loaded isn't loaded again.
  return import(/* @vite-ignore */ url);
}

/** Resolves once the browser has run the script at `url`. Rejects if the script's digest doesn't match. */
function loadChecked(url: string, integrity: string, { nonce }: HTMLScriptElement): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const script = create('script');
    const facts = { type: 'module', crossOrigin: '', integrity, nonce, src: trusted(url) };
    Object.assign(script, { ...facts, onload: resolve, onerror: reject });
    propertyOf('head').append(script);
  });
}

/** Converts the URL to the type that pages with Trusted Types require. */
function trusted(url: string): unknown {
  const { trustedTypes } = globalThis as unknown as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy('pulse-card', { createScriptURL: (given) => given });
  return policy?.createScriptURL(url) ?? url;
}

/** Created only once, because a page can forbid a second policy with the same name. */
let policy: TrustedPolicy | undefined;

interface TrustedPolicy {
  createScriptURL(url: string): unknown;
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): TrustedPolicy;
}

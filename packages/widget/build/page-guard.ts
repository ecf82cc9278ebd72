import { VERSION } from '../src/version.ts';

/** The notice that the bundled packages' licenses require at the start of a script. */
export const LICENSES = '/*! Contains Lit (BSD-3-Clause): THIRD-PARTY-NOTICES.txt */';

const ADVICE = `allow it with trusted-types lit-html`;

/**
 * Wraps a script that defines `tag`, so that it can't break its page. A second copy does nothing and doesn't load Lit.
 * It logs one line if its version or its BFF differs. If Lit throws an error while it loads, for example because the
 * page forbids Lit's policy, the error is logged and the page keeps its content.
 */
export function guardOf(tag: string): string {
  return `const loaded = customElements.get("${tag}");
const ignored = loaded && (loaded.version !== "${VERSION}" ? "version ${VERSION} is ignored, as version " + loaded.version + " was loaded first"
: loaded._$scriptBase && !import.meta.url.startsWith(loaded._$scriptBase) && import.meta.url + " is ignored, as elements without base-url use " + loaded._$scriptBase + "; set base-url");
if (ignored) console.warn("pulse-card: " + ignored);
if (!loaded) try {`;
}

export const AFTER = `} catch (error) {
console.warn("pulse-card: can’t start: " + error.message + (/polic|trusted/i.test(error.message) ? " (${ADVICE})" : ""));
}`;

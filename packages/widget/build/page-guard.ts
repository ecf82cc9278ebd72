import { VERSION } from '../src/version.ts';

/**
 * What stands around `pulse-card.js`, so that it never harms its page. A second copy does nothing, not even load Lit. What
 * Lit throws while it loads, as where the page forbids its policy, ends in the console: the page keeps what it had.
 */
export const BEFORE = `const loaded = customElements.get("pulse-card");
if (loaded) loaded.version === "${VERSION}" || console.warn("pulse-card: " + loaded.version + " is loaded; remove the script of ${VERSION}");
else try {`;

export const AFTER = `} catch (error) {
console.warn("pulse-card: " + error.message + "; Trusted Types need: trusted-types lit-html");
}`;

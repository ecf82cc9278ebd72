import { VERSION } from '../src/version.ts';

const ADVICE = `a page with Trusted Types has to allow them: trusted-types lit-html`;

/**
 * What stands around `pulse-card.js`, so that it never harms its page. A second copy does nothing, not even load Lit. What
 * Lit throws while it loads, as where the page forbids its policy, ends in the console: the page keeps what it had.
 */
export const BEFORE = `const loaded = customElements.get("pulse-card");
if (loaded) loaded.version === "${VERSION}" || console.warn("pulse-card: version ${VERSION} is not used, as version " + loaded.version + " was loaded first; load one of them");
else try {`;

export const AFTER = `} catch (error) {
console.warn("pulse-card: cannot start: " + error.message + " (${ADVICE})");
}`;

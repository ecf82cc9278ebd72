import '@fontsource-variable/inter/index.css';
import { BFF_URL } from './bff-url.ts';
import { watchScheme } from './scheme.ts';

/** How long the card's script may take before the page says that the BFF does not answer. */
const PATIENCE_MS = 4_000;

watchScheme();

const script = document.querySelector<HTMLScriptElement>(`script[src="${BFF_URL}/pulse-card.js"]`);
script?.addEventListener('error', sayUnreachable);
setTimeout(() => {
  if (customElements.get('pulse-card') === undefined) sayUnreachable();
}, PATIENCE_MS);

function sayUnreachable(): void {
  const notice = document.querySelector<HTMLElement>('#notice');
  if (!notice) return;
  notice.textContent = `The BFF at ${BFF_URL} does not answer, so there are no cards to see. "npm start" starts everything.`;
  notice.hidden = false;
}

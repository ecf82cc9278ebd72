import '@pulse-card/widget';
import { sendOwnHeader } from '../shell/own-header.ts';
import { BFF_URL } from '../shell/studio-url.ts';

sendOwnHeader();

/** A page with a card between two paragraphs, as a site has it; the address names the source. */
const card = document.createElement('pulse-card');
card.setAttribute('source-id', new URLSearchParams(location.search).get('source') ?? '');
card.setAttribute('base-url', BFF_URL);
document.querySelector('[data-card]')?.append(card);

import '@pulse-card/widget';
import { prepareFetch } from '../shell/prepare-fetch.ts';
import { BFF_URL } from '../shell/studio-url.ts';

prepareFetch();

/** A page that shows a card between two paragraphs, like an ordinary website. The address contains the source id. */
const card = document.createElement('pulse-card');
card.setAttribute('source-id', new URLSearchParams(location.search).get('source') ?? '');
card.setAttribute('base-url', BFF_URL);
document.querySelector('[data-card]')?.append(card);

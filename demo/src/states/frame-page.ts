import '@pulse-card/widget';

/** A page with a card between two paragraphs, as a site has it; the address names the source. */
const root = new URL('../../', document.baseURI);
const card = document.createElement('pulse-card');
card.setAttribute('source-id', new URLSearchParams(location.search).get('source') ?? '');
card.setAttribute('base-url', new URL('api/bff', root).href);
document.querySelector('[data-card]')?.append(card);

import { html, render } from 'lit';
import { keepLoading } from './keep-loading.ts';
import { STATE_GROUPS, type Specimen, type StateGroup } from './state-groups.ts';

const main = document.querySelector<HTMLElement>('#main')!;

render(
  html`
    <h1>States</h1>
    <p class="lead">
      Every state of the card on one page. None is staged by the card: sources without a pulse, with missing fields or
      with awkward texts are in the demo account, and a BFF for each trouble stands behind <code>base-url</code>.
    </p>
    <ul class="jumps">
      ${STATE_GROUPS.map(({ id, title }) => html`<li><a href=${`#${id}`}>${title}</a></li>`)}
    </ul>
    ${STATE_GROUPS.map(groupView)}
  `,
  main,
);
keepLoading(main);
// The sections are there only now: the browser looked for the fragment before.
if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();

function groupView({ id, title, intro, specimens }: StateGroup) {
  return html`<section class="group" id=${id} aria-labelledby=${`${id}-title`}>
    <h2 id=${`${id}-title`}>${title}</h2>
    <p>${intro}</p>
    <div class="cards">${specimens.map(specimenView)}</div>
  </section>`;
}

function specimenView(specimen: Specimen) {
  const { id, title, how } = specimen;
  return html`<figure id=${`specimen-${id}`}>
    <figcaption><strong>${title}</strong><span class="how">${how}</span></figcaption>
    ${cardOf(specimen)}
  </figure>`;
}

function cardOf({ sourceId, answers, attributes }: Specimen): Element {
  const card = document.createElement('pulse-card');
  card.setAttribute('source-id', sourceId);
  if (answers !== undefined) card.setAttribute('base-url', `${location.origin}/answers/${answers}`);
  for (const [name, value] of Object.entries(attributes ?? {})) card.setAttribute(name, value);
  return card;
}

import { snippetFor } from '@pulse-card/widget/snippet';
import { type PulseAnswer, renderPulseCard } from '@pulse-card/widget/server';
import type { Addresses } from './addresses.ts';
import { embeddedPulse } from './stub-data.ts';

/** Something that a page can embed. It is embedded the way its documentation describes. */
export interface Embed {
  readonly name: string;
  /** The npm package whose version is reported. Empty if the embed has no package. */
  readonly packageName: string;
  /** The module to bundle. Undefined if the script is already a single file. */
  readonly entry?: string;
  /** The name of the script on the embed's origin. Empty if the embed has no script. */
  readonly script: string;
  /** The HTML for one instance. */
  markup(at: Addresses, id: string): string;
}

const NAME = 'US nonfarm employment';

/** The card, with the markup from the Studio, the README, and oEmbed. */
export const pulseCard: Embed = {
  name: 'pulse-card, snippet',
  packageName: '@pulse-card/widget',
  script: 'pulse-card.js',
  markup: ({ embed }, id) =>
    snippetFor({ sourceId: id, baseUrl: embed, name: NAME }).replace(/<script.*?<\/script>\n/, ''),
};

const serverRenderedCard: Embed = {
  ...pulseCard,
  name: 'pulse-card, rendered by a server',
  markup: (at, id) => {
    const meta = { requestedAt: new Date().toISOString(), stale: false };
    const answer: PulseAnswer = { pulse: embeddedPulse(id, at), meta, source: { status: 'ACTIVE', name: NAME } };
    return renderPulseCard(answer, { sourceId: id, baseUrl: at.embed, now: Date.now() });
  },
};

/** The chart as a plain image, on a page that knows the chart's URL. No embed can be faster. */
const plainImage: Embed = {
  name: 'plain `<img>`',
  packageName: '',
  script: '',
  markup: ({ images }, id) => `<img src="${images}/chart.png?id=${id}" width="1600" height="900" alt="${NAME}">`,
};

const tableauPulse: Embed = {
  name: 'tableau-pulse',
  packageName: '@tableau/embedding-api',
  entry: '@tableau/embedding-api',
  script: 'embed.js',
  markup: ({ embed }, id) =>
    `<tableau-pulse src="${embed}/pulse/site/demo/metrics/${id}" token="header.payload.signature" layout="card"></tableau-pulse>`,
};

/** All embeds in the comparison. */
export const EMBEDS: readonly Embed[] = [plainImage, pulseCard, serverRenderedCard, tableauPulse];

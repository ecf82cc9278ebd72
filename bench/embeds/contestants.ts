import { snippetFor } from '@pulse-card/widget/snippet';
import { type PulseAnswer, renderPulseCard } from '@pulse-card/widget/server';
import type { Embed } from './embed.ts';
import { pulsesAnswer } from './stub-data.ts';

const WORDS = {
  name: 'US nonfarm employment',
  summary: 'Payrolls reached 143.1 million in December 2015, up 1.9 % on the year.',
  analysis: 'Payrolls rose in every month. Most: May. Least: July.',
};

/** The card with the markup that the demo, the README and oEmbed hand out. */
export const pulseCard: Embed = {
  name: 'pulse-card',
  packageName: '@pulse-card/widget',
  script: 'pulse-card.js',
  alsoNeeds: [],
  failing: 'data',
  markup: ({ embed }, id) =>
    snippetFor({ sourceId: id, baseUrl: embed, name: WORDS.name }).replace(/<script.*?<\/script>\n/, ''),
};

/** The card as a bare tag. */
export const bareCard: Embed = {
  ...pulseCard,
  name: 'pulse-card, bare tag',
  markup: (_, id) => `<pulse-card source-id="${id}"></pulse-card>`,
};

/** The card as a server renders it: its HTML with the answer inside, and a style sheet of the BFF. */
export const serverRenderedCard: Embed = {
  ...pulseCard,
  name: 'pulse-card, rendered by a server',
  markup: (at, id) => {
    const [answer] = pulsesAnswer([id], () => `${at.images}/chart.png?id=${id}`).pulses;
    return renderPulseCard(answer as PulseAnswer, { sourceId: id, baseUrl: at.embed, now: Date.now() });
  },
};

/** The chart as a page shows it that knows its address: nothing is faster. */
export const plainImage: Embed = {
  name: 'plain `<img>`',
  packageName: '',
  script: '',
  alsoNeeds: [],
  failing: 'image',
  markup: ({ images }, id) =>
    `<img src="${images}/chart.png?id=${id}" width="1600" height="900" alt="${WORDS.summary}">`,
};

const giscus: Embed = {
  name: 'giscus',
  packageName: 'giscus',
  entry: 'giscus',
  script: 'embed.js',
  alsoNeeds: ['frame-src'],
  failing: 'frame',
  markup: ({ embed }, id) =>
    `<giscus-widget host="${embed}" repo="acme/demo" repoid="R_1" category="General" categoryid="C_1" mapping="specific" term="${id}" loading="lazy"></giscus-widget>`,
};

export const liteYouTube: Embed = {
  name: 'lite-youtube-embed',
  packageName: 'lite-youtube-embed',
  entry: 'lite-youtube',
  script: 'embed.js',
  alsoNeeds: ['style-src'],
  failing: 'image',
  markup: (_, id) => `<lite-youtube videoid="${id}" playlabel="Play: ${WORDS.name}"></lite-youtube>`,
};

const relativeTime: Embed = {
  name: 'relative-time-element',
  packageName: '@github/relative-time-element',
  entry: 'relative-time',
  script: 'embed.js',
  alsoNeeds: [],
  failing: undefined,
  markup: () => `<p><relative-time datetime="2026-05-08T09:00:12Z">8 May 2026</relative-time></p>`,
};

/** What a card with an analysis is made of in Shoelace; the page brings text and image itself. */
export const shoelace: Embed = {
  name: 'Shoelace card and details',
  packageName: '@shoelace-style/shoelace',
  entry: 'shoelace',
  script: 'embed.js',
  alsoNeeds: ['style-src'],
  failing: 'image',
  markup: ({ images }, id) =>
    `<sl-card><strong slot="header">${WORDS.name}</strong><img slot="image" src="${images}/chart.png?id=${id}" width="1600" height="900" alt="${WORDS.summary}"><p>${WORDS.summary}</p><sl-details summary="Read the analysis">${WORDS.analysis}</sl-details></sl-card>`,
};

export const reactTweet: Embed = {
  name: 'react-tweet',
  packageName: 'react-tweet',
  isPartOfPage: true,
  entry: 'react-tweet',
  script: 'embed.js',
  alsoNeeds: ['style-src'],
  failing: 'data',
  markup: ({ embed }, id) => `<div data-tweet="${id}" data-api="${embed}/api/tweet/${id}"></div>`,
};

const blueskyPost: Embed = {
  name: 'bluesky-post-embed',
  packageName: 'bluesky-post-embed',
  entry: 'bluesky-post',
  script: 'embed.js',
  alsoNeeds: ['style-src'],
  failing: 'data',
  markup: ({ embed }, id) =>
    `<bluesky-post src="at://did:plc:acme/app.bsky.feed.post/${id}" service-uri="${embed}"><blockquote class="bluesky-post-fallback"><p dir="auto">${WORDS.summary}</p>— Acme (@acme.test) <a href="https://bsky.app/profile/did:plc:acme/post/${id}">May 8, 2026</a></blockquote></bluesky-post>`,
};

export const tableauPulse: Embed = {
  name: 'tableau-pulse',
  packageName: '@tableau/embedding-api',
  entry: 'tableau-pulse',
  script: 'embed.js',
  alsoNeeds: ['frame-src'],
  failing: 'data',
  markup: ({ embed }, id) =>
    `<tableau-pulse src="${embed}/pulse/site/demo/metrics/${id}" token="header.payload.signature" layout="card"></tableau-pulse>`,
};

/** The card that does not wait until it is near. */
export const eagerCard: Embed = {
  ...pulseCard,
  name: 'pulse-card, eager',
  markup: (at, id) => pulseCard.markup(at, id).replace('<pulse-card', '<pulse-card loading="eager"'),
};

/** What a page can install beside the card. */
export const PEERS: readonly Embed[] = [
  giscus,
  liteYouTube,
  relativeTime,
  shoelace,
  reactTweet,
  blueskyPost,
  tableauPulse,
];

import { snippetFor } from '@pulse-card/widget/snippet';
import type { Stub } from '../../bench/embeds/stub.ts';

/** An expression that becomes true, or an action on the stub. */
export type Step = string | ((stub: Stub) => void);

/** One promise that the card must keep in every browser. */
export interface Check {
  readonly name: string;
  readonly promise: string;
  readonly sourceId: string;
  /** Attributes of the page's `<html>`. */
  readonly page?: string;
  /** The settings of the stub before the page is opened. */
  readonly prepare?: (stub: Stub) => void;
  /** Steps that are done one after another. */
  readonly steps: readonly Step[];
  /** More steps, which are done after the picture was taken. */
  readonly afterwards?: readonly Step[];
}

const CARD = `document.querySelector('pulse-card')`;
const ROOT = `${CARD}.shadowRoot`;
const isIn = (state: string) => `${CARD}.state === '${state}' && ${CARD}.matches(':state(${state})')`;
const READY = isIn('ready');
const PICTURE = `${ROOT}.querySelector('img')?.naturalWidth === 1600`;

/** Returns an expression that presses an element once and whose value is true. */
const press = (selector: string) => `(${ROOT}.querySelector('${selector}').click(), true)`;

/** The checks of every browser. */
export const CHECKS: readonly Check[] = [
  {
    name: 'ready',
    promise: 'shows chart, summary, and time',
    sourceId: 'ready-1',
    steps: [READY, PICTURE, `${ROOT}.querySelector('time').textContent.length > 0`],
  },
  {
    name: 'unmoved',
    promise: 'keeps the position of the text below it, even if script and data are late',
    sourceId: 'ready-1',
    prepare: ({ behavior }) => void (behavior.lateMs = { script: 700, data: 400, image: 200 }),
    steps: [
      `(globalThis.stood = document.querySelector('#below').getBoundingClientRect().top) > 200`,
      READY,
      PICTURE,
      `Math.abs(document.querySelector('#below').getBoundingClientRect().top - stood) < 1`,
    ],
  },
  {
    name: 'unfolded',
    promise: 'unfolds the analysis',
    sourceId: 'ready-1',
    steps: [
      READY,
      PICTURE,
      press('summary'),
      `${CARD}.open && ${CARD}.hasAttribute('open')`,
      `${ROOT}.querySelector('[part=analysis] li').getBoundingClientRect().height > 10`,
    ],
  },
  {
    name: 'enlarged',
    promise: 'enlarges the chart and closes it again',
    sourceId: 'ready-1',
    steps: [
      READY,
      PICTURE,
      press('[part=enlarge]'),
      `${ROOT}.querySelector('dialog').open && ${ROOT}.querySelector('dialog img').naturalWidth === 1600`,
    ],
    afterwards: [press('[part=close]'), `!${ROOT}.querySelector('dialog').open`],
  },
  {
    name: 'drawn',
    promise: 'saves the whole card as a picture, even if the chart is from a different origin',
    sourceId: 'ready-1',
    steps: [
      READY,
      PICTURE,
      `(globalThis.drawn ??= ${CARD}.toBlob().then(createImageBitmap).then((picture) => (globalThis.picture = picture)), true)`,
      `globalThis.picture?.width === 1200 && globalThis.picture.height > 800`,
    ],
  },
  {
    name: 'stale',
    promise: 'marks its content as an earlier version',
    sourceId: 'stale-1',
    steps: [isIn('stale'), PICTURE, `${ROOT}.querySelector('[part=status]').textContent.length > 0`],
  },
  { name: 'empty', promise: 'says that there is no pulse yet', sourceId: 'empty-1', steps: [isIn('empty')] },
  {
    name: 'error',
    promise: 'describes the error and offers to try again',
    sourceId: 'ready-1',
    prepare: ({ behavior }) => void (behavior.failing = { kind: 'data', status: 503, retryAfterSeconds: 60 }),
    steps: [isIn('error'), `${ROOT}.querySelector('[part=error] button') !== null`],
  },
  {
    name: 'tried-again',
    promise: 'recovers after a press of "Try again"',
    sourceId: 'ready-1',
    prepare: ({ behavior }) => void (behavior.failing = { kind: 'data', status: 503, retryAfterSeconds: 60 }),
    steps: [
      isIn('error'),
      ({ behavior }) => void (behavior.failing = undefined),
      press('[part=error] button'),
      READY,
      PICTURE,
    ],
  },
  {
    name: 'dark',
    promise: 'is dark on a dark page',
    sourceId: 'ready-1',
    page: 'style="color-scheme:dark"',
    steps: [
      READY,
      PICTURE,
      // A canvas makes the values comparable: some browsers return a color as it was set, and others as it is shown.
      `(() => { const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true }); canvas.fillStyle = getComputedStyle(${ROOT}.querySelector('article')).backgroundColor; canvas.fillRect(0, 0, 1, 1); const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data; return alpha === 255 && red + green + blue < 200 })()`,
    ],
  },
  {
    name: 'right-to-left',
    promise: 'uses Arabic words and the right-to-left direction on an Arabic page',
    sourceId: 'ready-1',
    page: 'lang="ar" dir="rtl"',
    steps: [
      READY,
      PICTURE,
      `/[\\u0600-\\u06ff]/.test(${ROOT}.querySelector('summary').textContent)`,
      `getComputedStyle(${ROOT}.querySelector('article')).direction === 'rtl'`,
    ],
  },
];

/** The HTML of the page on which a promise is tested. */
export function checkPage({ sourceId, page = 'lang="en"' }: Check, { embed }: Stub): string {
  const snippet = snippetFor({ sourceId, baseUrl: embed, name: 'US nonfarm employment' });
  return `<!doctype html><html ${page}><head><meta charset="utf-8"><title>A page</title>
<style>body{margin:20px auto;width:560px;max-width:90%;font:16px/1.5 sans-serif}</style></head>
<body>${snippet}<p id="below">Text below, which must not move.</p></body></html>`;
}

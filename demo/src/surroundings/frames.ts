/** A document of its own, with the card in it. */
export interface Frame {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** What stands before the snippet. */
  readonly before: string;
  /** What stands after it. */
  readonly after: string;
  /** Without scripts when true. */
  readonly scriptless?: boolean;
}

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A page</title>`;

const PLAIN = `<style>body { margin: 16px; font: 16px/1.5 system-ui, sans-serif }</style>`;

/** Rules as they are found in grown style sheets: broad, and sure of themselves. */
const HOSTILE = `<style>
  :root { color-scheme: light !important }
  * { margin: 10px !important; padding: 6px !important; border: 2px dashed #d6336c !important; box-sizing: content-box !important; background: #ffec99 !important }
  * { color: #b00020 !important; font-style: italic !important; text-align: center !important; line-height: 2.4 !important; letter-spacing: 0.08em !important }
  article, section, header, footer { display: none !important }
  div { float: left !important; width: 40% !important; height: 20px !important; overflow: hidden !important }
  img { max-width: 20px !important; filter: grayscale(1) !important }
  details, summary, button, p, h3, time, a { position: absolute !important; opacity: 0.2 !important; text-transform: uppercase !important }
</style>`;

/** Where a card has to hold its own. */
export const FRAMES: readonly Frame[] = [
  {
    id: 'hostile',
    title: 'On a page with hostile styles',
    description:
      'Broad selectors with “!important” on everything. What the card inherits may change; what it is made of does not.',
    before: `${PAGE}${HOSTILE}`,
    after: '',
  },
  {
    id: 'framed',
    title: 'In an iframe',
    description: 'The same snippet in a document of its own, with text above and below.',
    before: `${PAGE}${PLAIN}<p>Text above the card.</p>`,
    after: '<p>Text below the card stays where it is.</p>',
  },
  {
    id: 'scriptless',
    title: 'With no script',
    description:
      'A sandbox that runs no script: what the snippet leaves for readers is a name with a link, in the room that the card would take.',
    before: `${PAGE}${PLAIN}<p>Text above the card.</p>`,
    after: '<p>Text below the card.</p>',
    scriptless: true,
  },
];

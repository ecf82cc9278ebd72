/** The URLs that a page uses. They are real in a browser test and made up otherwise. */
export interface Places {
  /** The BFF's `PULSE_PUBLIC_URL`. */
  readonly bff: string;
  /** The origin that the page is served from. */
  readonly page: string;
  /** The origin that charts come from. */
  readonly charts: string;
  /** The ID of a source with a pulse. */
  readonly sourceId: string;
}

/** A page, and the line in the BFF's environment that allows its origin. */
export interface PageFixture {
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
  readonly variable: string;
}

/** A page with one error, and the result of applying the line that the doctor suggests. */
export interface BrokenPage {
  readonly what: string;
  /** The only issue. */
  readonly code: string;
  /** The line that the doctor suggests. */
  readonly fix: (places: Places) => string;
  readonly page: (places: Places) => PageFixture;
  /** The page after the line is applied. It has no issues, and a browser shows the card. */
  readonly mended: (places: Places, fix: string) => PageFixture;
}

/** Parts of a page that differ from `goodPage`. */
interface Parts {
  readonly script?: string;
  readonly card?: string;
  /** A policy directive, which is omitted if it has no value. */
  readonly directive?: string;
  readonly variable?: string;
}

const scriptOf = ({ bff }: Places): string => `<script type="module" src="${bff}/pulse-card.js"></script>`;
const cardOf = ({ sourceId }: Places): string => `<pulse-card source-id="${sourceId}"></pulse-card>`;
const frameOf = ({ bff, sourceId }: Places): string =>
  `<iframe src="${bff}/embed/${sourceId}" title="Chart" width="600" height="400"></iframe>`;

/** A page without errors, with the strict policy from the widget's README. */
export function goodPage(places: Places, parts: Parts = {}): PageFixture {
  const { script = scriptOf(places), card = cardOf(places), directive = '' } = parts;
  const directives = [
    "default-src 'none'",
    `script-src ${places.bff}`,
    `connect-src ${places.bff}`,
    `img-src ${places.charts}`,
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ].filter((line) => line.split(' ')[0] !== directive.split(' ')[0]);
  if (directive.includes(' ')) directives.push(directive);
  return {
    headers: { 'Content-Security-Policy': directives.join('; ') },
    html: `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>A page</title>\n${script}\n</head>\n<body>\n${card}\n<p>What follows.</p>\n</body>\n</html>\n`,
    variable: parts.variable ?? `PULSE_ALLOWED_ORIGINS=${places.page}`,
  };
}

/** Generates broken pages, each with a single defect. The suggested line replaces it. */
function faultIn(part: keyof Parts, fix: (places: Places) => string, others: (places: Places) => Parts = () => ({})) {
  return (what: string, code: string, fault: (places: Places) => string): BrokenPage => ({
    what,
    code,
    fix,
    page: (places) => goodPage(places, { ...others(places), [part]: fault(places) }),
    mended: (places, line) => goodPage(places, { ...others(places), [part]: line }),
  });
}

const inScript = faultIn('script', scriptOf);
const inVariable = faultIn('variable', ({ page }) => `PULSE_ALLOWED_ORIGINS=https://www.example.com,${page}`);

/** A card with an error in its tag. */
function inCard(what: string, code: string, fault: (id: string) => string): BrokenPage {
  return faultIn('card', cardOf)(what, code, ({ sourceId }) => fault(sourceId));
}

/** A policy in which one directive is missing a URL. */
function inPolicy(what: string, code: string, directive: string, place: 'bff' | 'charts'): BrokenPage {
  const fault = faultIn('directive', (places) => `${directive} ${places[place]}`);
  return fault(what, code, () => directive);
}

/** Pages that each contain one error. */
export const brokenPages: readonly BrokenPage[] = [
  inVariable(
    'an origin that isn’t allowed',
    'origin_not_allowed',
    () => 'PULSE_ALLOWED_ORIGINS=https://www.example.com',
  ),
  inScript('no script of the card', 'script_missing', () => ''),
  inScript(
    'a script that isn’t loaded as a module',
    'script_not_module',
    ({ bff }) => `<script src="${bff}/pulse-card.js" async></script>`,
  ),
  inCard('a card whose tag is misspelled', 'tag_misspelt', (id) => `<pulsecard source-id="${id}"></pulsecard>`),
  inCard('a card that ends with a slash', 'tag_not_closed', (id) => `<pulse-card source-id="${id}" />`),
  inCard('a card without an end tag', 'tag_not_closed', (id) => `<pulse-card source-id="${id}">`),
  inCard('a card without a source', 'source_id_missing', () => '<pulse-card></pulse-card>'),
  inCard('an empty source-id', 'source_id_missing', () => '<pulse-card source-id=""></pulse-card>'),
  inCard('a misspelled source-id', 'source_id_missing', (id) => `<pulse-card sourceid="${id}"></pulse-card>`),
  inCard('an ID with its ellipsis', 'source_unknown', (id) => `<pulse-card source-id="${id}…"></pulse-card>`),
  inCard('an ID of no source', 'source_unknown', (id) => `<pulse-card source-id="${id}x"></pulse-card>`),
  inPolicy('a policy without the script', 'csp_script', "script-src 'self'", 'bff'),
  inPolicy('a policy without the data', 'csp_connect', "connect-src 'self' https://api.example.com", 'bff'),
  inPolicy('a policy whose default keeps the data out', 'csp_connect', 'connect-src', 'bff'),
  inPolicy('a policy without the charts', 'csp_image', "img-src 'self' data:", 'charts'),
  faultIn('directive', () => 'trusted-types dompurify lit-html')(
    'a policy that doesn’t allow Lit’s Trusted Types',
    'csp_trusted_types',
    () => 'trusted-types dompurify',
  ),
  faultIn(
    'directive',
    ({ bff }) => `frame-src ${bff}`,
    (places) => ({ script: '', card: frameOf(places) }),
  )('a policy without the frame', 'csp_frame', () => 'frame-src'),
];

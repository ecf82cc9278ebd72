import type { FindingCode } from '../finding.ts';

/** Variables of the BFF, as `pulse-bff` reads them. */
type Variables = Readonly<Record<string, string>>;

/** Where things are for a page: real addresses in a browser, invented ones without. */
export interface Places {
  /** `PULSE_PUBLIC_URL` of the BFF. */
  readonly bff: string;
  /** The origin that the page is served from. */
  readonly page: string;
  /** The origin that charts come from. */
  readonly charts: string;
  /** The id of a source with a pulse. */
  readonly sourceId: string;
}

/** A page, and the variables of the BFF that it is for. */
export interface PageFixture {
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
  readonly variables: Variables;
}

/** A page with one fault, and what a person makes of the line that the doctor suggests. */
export interface BrokenPage {
  readonly what: string;
  /** The one finding there is. */
  readonly code: FindingCode;
  /** The line that the doctor suggests. */
  readonly fix: (places: Places) => string;
  readonly page: (places: Places) => PageFixture;
  /** The page with the line applied: no finding is left, and a browser shows the card. */
  readonly mended: (places: Places, fix: string) => PageFixture;
}

/** A page on which nothing is wrong, under a strict policy. */
export function goodPage(places: Places): PageFixture {
  return pageWith(places, {});
}

interface Parts {
  readonly script?: string;
  readonly card?: string;
  readonly policy?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly variables?: Variables;
}

const scriptOf = ({ bff }: Places): string => `<script type="module" src="${bff}/pulse-card.js"></script>`;
const cardOf = ({ sourceId }: Places): string => `<pulse-card source-id="${sourceId}"></pulse-card>`;

/** The policy that the README of the widget names. */
const directivesOf = ({ bff, charts }: Places): Readonly<Record<string, string>> => {
  const { origin } = new URL(bff);
  return {
    'default-src': "default-src 'none'",
    'script-src': `script-src ${origin}`,
    'connect-src': `connect-src ${origin}`,
    'img-src': `img-src ${charts}`,
    'require-trusted-types-for': "require-trusted-types-for 'script'",
    'trusted-types': 'trusted-types lit-html',
  };
};

/** The strict policy with other directives: an empty one is left out. */
function policyWith(places: Places, ...lines: readonly string[]): string {
  const others = Object.fromEntries(lines.map((line) => [line.split(' ')[0] ?? '', line.includes(' ') ? line : '']));
  return Object.values({ ...directivesOf(places), ...others })
    .filter((line) => line !== '')
    .join('; ');
}

function pageWith(places: Places, parts: Parts): PageFixture {
  const { script = scriptOf(places), card = cardOf(places), policy = policyWith(places), headers = {} } = parts;
  return {
    headers: { ...(policy !== '' && { 'Content-Security-Policy': policy }), ...headers },
    html: `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>A page</title>\n${script}\n</head>\n<body>\n${card}\n<p>What follows.</p>\n</body>\n</html>\n`,
    variables: { PULSE_PUBLIC_URL: places.bff, PULSE_ALLOWED_ORIGINS: places.page, ...parts.variables },
  };
}

/** A page whose script tag is the fault, and the fix. */
function withScript(script: (places: Places) => string): Pick<BrokenPage, 'page' | 'mended' | 'fix'> {
  return {
    fix: scriptOf,
    page: (places) => pageWith(places, { script: script(places) }),
    mended: (places, fix) => pageWith(places, { script: fix }),
  };
}

/** A page whose card tag is the fault, and the fix. */
function withCard(
  card: (places: Places) => string,
  variables: Variables = {},
): Pick<BrokenPage, 'page' | 'mended' | 'fix'> {
  return {
    fix: cardOf,
    page: (places) => pageWith(places, { card: card(places), variables }),
    mended: (places, fix) => pageWith(places, { card: fix, variables }),
  };
}

/** A page with a directive that is the fault, and the directive that is the fix. */
function withDirective(
  directive: (places: Places) => string,
  fix: (places: Places) => string,
): Pick<BrokenPage, 'page' | 'mended' | 'fix'> {
  return {
    fix,
    page: (places) => pageWith(places, { policy: policyWith(places, directive(places)) }),
    mended: (places, line) => pageWith(places, { policy: policyWith(places, line) }),
  };
}

/** A page that is right, for a BFF with a variable that is the fault. */
function withVariables(
  variables: (places: Places) => Variables,
  fix: (places: Places) => string,
  policy?: (places: Places) => string,
): Pick<BrokenPage, 'page' | 'mended' | 'fix'> {
  const parts = (places: Places): Parts => (policy === undefined ? {} : { policy: policy(places) });
  return {
    fix,
    page: (places) => pageWith(places, { ...parts(places), variables: variables(places) }),
    mended: (places, line) => {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
      return pageWith(places, { ...parts(places), variables: { ...variables(places), [name]: value } });
    },
  };
}

/** Pages with one fault each. */
export const brokenPages: readonly BrokenPage[] = [
  {
    what: 'an origin that is not allowed',
    code: 'origin_not_allowed',
    ...withVariables(
      () => ({ PULSE_ALLOWED_ORIGINS: 'https://www.example.com' }),
      ({ page }) => `PULSE_ALLOWED_ORIGINS=https://www.example.com,${page}`,
    ),
  },
  { what: 'no script of the card', code: 'script_missing', ...withScript(() => '') },
  {
    what: 'a script that is not loaded as a module',
    code: 'script_not_module',
    ...withScript(({ bff }) => `<script src="${bff}/pulse-card.js" async></script>`),
  },
  {
    what: 'a card whose tag is misspelt',
    code: 'tag_misspelt',
    ...withCard(({ sourceId }) => `<pulsecard source-id="${sourceId}"></pulsecard>`),
  },
  {
    what: 'a card that ends with a slash',
    code: 'tag_not_closed',
    ...withCard(({ sourceId }) => `<pulse-card source-id="${sourceId}" />`),
  },
  {
    what: 'a card without an end tag',
    code: 'tag_not_closed',
    ...withCard(({ sourceId }) => `<pulse-card source-id="${sourceId}">`),
  },
  { what: 'a card without a source', code: 'source_id_missing', ...withCard(() => '<pulse-card></pulse-card>') },
  {
    what: 'a source-id that is misspelt',
    code: 'source_id_missing',
    ...withCard(({ sourceId }) => `<pulse-card sourceid="${sourceId}"></pulse-card>`),
  },
  {
    what: 'an id that was copied with its ellipsis',
    code: 'source_unknown',
    ...withCard(({ sourceId }) => `<pulse-card source-id="${sourceId}…"></pulse-card>`),
  },
  {
    what: 'an id that the account does not have',
    code: 'source_unknown',
    ...withCard(({ sourceId }) => `<pulse-card source-id="${sourceId}x"></pulse-card>`),
  },
  {
    what: 'a policy without the script',
    code: 'csp_script',
    ...withDirective(
      () => "script-src 'self'",
      ({ bff }) => `script-src 'self' ${new URL(bff).origin}`,
    ),
  },
  {
    what: 'a policy without the data',
    code: 'csp_connect',
    ...withDirective(
      () => "connect-src 'self' https://api.example.com",
      ({ bff }) => `connect-src 'self' https://api.example.com ${new URL(bff).origin}`,
    ),
  },
  {
    what: 'a policy whose default keeps the data out',
    code: 'csp_connect',
    ...withDirective(
      () => 'connect-src',
      ({ bff }) => `connect-src ${new URL(bff).origin}`,
    ),
  },
  {
    what: 'a policy without the charts',
    code: 'csp_image',
    ...withDirective(
      () => "img-src 'self' data:",
      ({ charts }) => `img-src 'self' data: ${charts}`,
    ),
  },
  {
    what: 'a policy without the frame',
    code: 'csp_frame',
    fix: ({ bff }) => `frame-src ${new URL(bff).origin}`,
    page: (places) => pageWith(places, { script: '', card: frameOf(places), policy: "default-src 'none'" }),
    mended: (places, fix) =>
      pageWith(places, { script: '', card: frameOf(places), policy: `default-src 'none'; ${fix}` }),
  },
];

function frameOf({ bff, sourceId }: Places): string {
  return `<iframe src="${bff}/embed/${sourceId}" title="Chart" width="600" height="400"></iframe>`;
}

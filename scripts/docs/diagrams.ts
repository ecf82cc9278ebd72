/** The colors of all diagrams, on light and dark pages. */
const STYLE = `<style>
    .box { fill: #fff; stroke: #d5d9e2; } .name { font-weight: 600; fill: #111827; } .note { fill: #5b6474; font-size: 13px; }
    .line { stroke: #3d46c2; stroke-width: 1.5; fill: none; } .head { fill: #3d46c2; } .label { fill: #3d46c2; font-size: 13px; }
    .life { stroke: #d5d9e2; stroke-dasharray: 4 4; }
    @media (prefers-color-scheme: dark) {
      .box { fill: #171b25; stroke: #2f3646; } .name { fill: #eef0f5; } .note { fill: #a3acbd; }
      .line { stroke: #9aa2ff; } .head { fill: #9aa2ff; } .label { fill: #9aa2ff; } .life { stroke: #2f3646; }
    }
  </style>
  <defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="head" d="M0 0 8 4 0 8z"/></marker></defs>`;

const BOX_WIDTH = 170;
const STEP_WIDTH = 260;
const STEP_HEIGHT = 44;

interface Message {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The diagrams of the guides, by the name of their file in docs/images. */
export const DIAGRAMS: Readonly<Record<string, string>> = {
  'token-sequence.svg': sequence({
    title: 'How a card gets a private pulse with a token',
    parties: ['Browser', 'Your backend', 'BFF', 'Service'],
    messages: [
      { from: 0, to: 1, text: 'GET /pulse-token, with the session' },
      { from: 1, to: 0, text: 'a signed token, valid for 5 minutes' },
      { from: 0, to: 2, text: 'GET /v1/pulses, Authorization: Bearer …' },
      { from: 2, to: 3, text: 'GET …/pulse, with the API key' },
      { from: 3, to: 2, text: 'pulse' },
      { from: 2, to: 0, text: 'public fields of the sources in the token' },
    ],
  }),
  'trust-proxy.svg': chains({
    title: 'The value of TRUST_PROXY for each arrangement of proxies',
    rows: [
      { value: 'TRUST_PROXY=off', boxes: ['Reader', 'BFF'] },
      { value: 'TRUST_PROXY=1', boxes: ['Reader', 'Proxy', 'BFF'] },
      { value: 'TRUST_PROXY=2', boxes: ['Reader', 'CDN', 'Proxy', 'BFF'] },
      { value: 'TRUST_PROXY=10.0.0.0/8', boxes: ['Reader', 'Private proxies', 'BFF'] },
    ],
  }),
};

function sequence({
  title,
  parties,
  messages,
}: {
  readonly title: string;
  readonly parties: readonly string[];
  readonly messages: readonly Message[];
}): string {
  const center = (at: number): number => 10 + BOX_WIDTH / 2 + at * STEP_WIDTH;
  const height = 90 + messages.length * STEP_HEIGHT;
  const heads = parties.map(
    (name, at) =>
      `<path class="life" d="M${center(at)} 54V${height - 10}"/>${box(center(at) - BOX_WIDTH / 2, 10, BOX_WIDTH, name)}`,
  );
  const arrows = messages.map(({ from, to, text }, at) => {
    const y = 96 + at * STEP_HEIGHT;
    const side = from < to ? 6 : -6;
    const middle = (center(from) + center(to)) / 2;
    return `<path class="line" d="M${center(from) + side} ${y}H${center(to) - side}" marker-end="url(#a)"/><text class="label" x="${middle}" y="${y - 8}" text-anchor="middle">${text}</text>`;
  });
  return svg(title, 20 + BOX_WIDTH + (parties.length - 1) * STEP_WIDTH, height, [...heads, ...arrows]);
}

function chains({
  title,
  rows,
}: {
  readonly title: string;
  readonly rows: readonly { readonly value: string; readonly boxes: readonly string[] }[];
}): string {
  const parts = rows.flatMap(({ value, boxes }, row) => {
    const y = 14 + row * 66;
    const x = (at: number): number => 260 + at * (BOX_WIDTH + 50);
    return [
      `<text class="label" x="10" y="${y + 27}" font-family="ui-monospace, monospace">${value}</text>`,
      ...boxes.map((name, at) => box(x(at), y, BOX_WIDTH, name)),
      ...boxes
        .slice(1)
        .map(
          (_, at) =>
            `<path class="line" d="M${x(at) + BOX_WIDTH + 2} ${y + 22}H${x(at + 1) - 4}" marker-end="url(#a)"/>`,
        ),
    ];
  });
  return svg(title, 1_130, 20 + rows.length * 66, parts);
}

function box(x: number, y: number, width: number, name: string): string {
  return `<rect class="box" x="${x}" y="${y}" width="${width}" height="44" rx="10"/><text class="name" x="${x + width / 2}" y="${y + 27}" text-anchor="middle">${name}</text>`;
}

function svg(title: string, width: number, height: number, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="Inter, system-ui, sans-serif" font-size="15" role="img" aria-label="${title}">
  ${STYLE}
  ${parts.join('\n  ')}
</svg>
`;
}

/** What the address in a pulse is, and what came of asking the BFF for its chart. */
export interface Case {
  /** The row of docs/threats.md. */
  readonly row: string;
  readonly what: string;
  readonly imageUrl: string;
}

/** Ports of the host that is named in `PULSE_IMAGE_HOSTS`, and of one that is not. */
export interface Ports {
  readonly cdn: number;
  readonly trap: number;
}

/** Spellings of 127.0.0.1 and of addresses that mean it, none of which is named. */
const LOOPBACKS =
  `localhost localhost. 127.1 0x7f.1 0177.1 017700000001 2130706433 0x7f000001 ①②⑦.0.0.1 127。0。0。1 0 0.0.0.0
[::1] [::] [::ffff:7f00:1] [::127.0.0.1]`.split(/\s+/);

/** Addresses that lead elsewhere, into the machine, or nowhere. */
export function addressCases({ cdn, trap }: Ports): Case[] {
  const host = `127.0.0.1:${cdn}`;
  const addresses = [
    ...LOOPBACKS.map((name) => `http://${name}:${trap}/a.png`),
    `http://${host}@127.0.0.1:${trap}/a.png`,
    `http://user:pass@${host}/a.png`,
    `http://${host}\\@127.0.0.1:${trap}/a.png`,
    `http://${host}//127.0.0.1:${trap}/a.png`,
    `http://${host}.evil.test/a.png`,
    `//127.0.0.1:${trap}/a.png`,
    'https://169.254.169.254/latest/meta-data/',
    'https://[64:ff9b::7f00:1]/a.png',
    'https://[2002:7f00:1::]/a.png',
    'https://10.0.0.1/a.png',
    'https://127.0.0.1.nip.io/a.png',
    'https://cdn.test:22/a.png',
    'https://cdn.test./a.png',
    'https://cdn。evil.test/a.png',
    'http://cdn.test/a.png',
    'file:///etc/passwd',
    'gopher://cdn.test/1',
    'ftp://cdn.test/a.png',
    'blob:https://cdn.test/1',
    'data:image/png;base64,AAAA',
    'data:image/svg+xml,<svg/>',
    'javascript:alert(1)',
    'https:cdn.test/a.png',
    ' https://cdn.test/a.png',
    'https://cdn.test/a\n.png',
    'nonsense',
  ];
  return addresses.map((imageUrl) => ({ row: 'T-50', what: `\`${JSON.stringify(imageUrl).slice(1, -1)}\``, imageUrl }));
}

/** What the host that is named may answer, by path; `answers.ts` gives them. */
export const ANSWER_CASES: readonly (readonly [row: string, path: string, what: string])[] = [
  ...[301, 302, 303, 307, 308].map((status) => ['T-52', `redirect-${status}`, `${status} to the trap`] as const),
  ['T-52', 'refresh', '`Refresh:` to the trap'],
  ['T-53', 'long-said', '6 MiB, with a length'],
  ['T-53', 'long-chunked', '6 MiB, in chunks'],
  ['T-53', 'endless', 'no end: chunks for as long as anybody reads'],
  ['T-53', 'slow', 'one byte a second'],
  ['T-53', 'silent', 'nothing at all'],
  ['T-53', 'packed', '5 MiB of zeros in gzip, said to be PNG'],
  ['T-53', 'said-packed', 'a PNG that says it is gzip'],
  ['T-53', 'short', 'half of what its length says'],
  ['T-54', 'svg', 'SVG with a script, said to be PNG'],
  ['T-54', 'html', 'HTML, said to be PNG'],
  ['T-54', 'html-sized', 'HTML with the size of a PNG at its place'],
  ['T-54', 'gif', 'GIF, said to be PNG'],
  ['T-54', 'empty', 'no bytes'],
  ['T-54', 'signature', 'the signature alone'],
  ['T-54', 'pixels', '65,535 by 65,535 pixels'],
  ['T-54', 'two-types', '`image/png, text/html`'],
  ['T-54', 'type-more', '`image/png;text/html`'],
  ['T-54', 'type-percent', '`image/png%`'],
  ['T-54', 'type-html', 'a PNG, said to be HTML'],
  ['T-54', 'status-404', 'a PNG with status 404'],
];

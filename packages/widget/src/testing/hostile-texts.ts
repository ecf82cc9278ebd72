export const TRAP = 'https://trap.invalid';

/** Text that is also a valid image URL. Therefore, tests don't put it in the image field. */
export const AUTOLINK = `${TRAP}/autolink`;

/** Text and URLs that an attacker might put into a field. */
export const PAYLOADS: readonly string[] = [
  '<script>window.pwned = 1</script>',
  '<img src=x onerror="window.pwned = 1">',
  `<img src="${TRAP}/pixel.png">`,
  '<svg onload="window.pwned = 1"></svg>',
  '<svg><script>window.pwned = 1</script></svg>',
  '<iframe srcdoc="<script>parent.pwned = 1</script>"></iframe>',
  `<iframe src="${TRAP}"></iframe>`,
  `<link rel="stylesheet" href="${TRAP}/a.css">`,
  `<style>@import url(${TRAP}/a.css);</style>`,
  `<style>* { background: url(${TRAP}/a.png) }</style>`,
  '<a href="javascript:window.pwned = 1">here</a>',
  `<a href="${TRAP}">Sign in again</a>`,
  `<form action="${TRAP}"><input name="password"></form>`,
  `<base href="${TRAP}">`,
  `<meta http-equiv="refresh" content="0;url=${TRAP}">`,
  `<object data="${TRAP}"></object>`,
  `<embed src="${TRAP}">`,
  `<video src="${TRAP}/v.mp4" autoplay></video>`,
  `<audio src="${TRAP}/a.mp3" autoplay></audio>`,
  '<details open ontoggle="window.pwned = 1">',
  '<body onload="window.pwned = 1">',
  '<input autofocus onfocus="window.pwned = 1">',
  '<template><img src=x onerror="window.pwned = 1"></template>',
  '<math><mtext><img src=x onerror="window.pwned = 1"></mtext></math>',
  '<noscript><p title="</noscript><img src=x onerror=window.pwned=1>">',
  '<!--><img src=x onerror="window.pwned = 1">-->',
  '<![CDATA[<img src=x onerror="window.pwned = 1">]]>',
  '"><img src=x onerror="window.pwned = 1">',
  "'><img src=x onerror='window.pwned = 1'>",
  '`><img src=x onerror=`window.pwned = 1`>',
  '" onmouseover="window.pwned = 1" x="',
  '</article></div></template><script>window.pwned = 1</script>',
  '</slot><slot name="error">',
  '<pulse-card source-id="ready-9"></pulse-card>',
  '{{constructor.constructor("window.pwned = 1")()}}',
  '${window.pwned = 1}',
  '<?lit$123$?>',
  'lit$0$ <!--?lit$--> $lit$',
  `![chart](${TRAP}/pixel.png)`,
  `[Sign in](${TRAP})`,
  '[here](javascript:window.pwned=1)',
  `<${TRAP}>`,
  AUTOLINK,
  'www.trap.invalid',
  `[ref]: ${TRAP} "title"`,
  'javascript:window.pwned=1',
  'java\tscript:window.pwned=1',
  'data:text/html,<script>parent.pwned=1</script>',
  'data:image/svg+xml,<svg onload="parent.pwned=1"/>',
  'blob:https://trap.invalid/1',
  'file:///etc/passwd',
  '//trap.invalid/a.png',
  'https:trap.invalid/a.png',
  'https:/\\trap.invalid/a.png',
  'https://bank.example@trap.invalid/a.png',
  'http://trap.invalid/a.png',
  'https://trap.invalid/a b.png',
  '\u202egnp.exe\u202c\u2066abc\u2069',
  'pay\u200bpal\ufeff\u2060\u00ad',
  '\u0000\u0001\u0007\u001b[31m\u0085\u009f',
  '\u{e0001}\u{e0041}',
  '\ud800 lone',
  '__proto__',
  'constructor',
];

/** Strings that would take a careless parser seconds to parse. */
export const BOMBS: Readonly<Record<string, string>> = {
  stars: '*'.repeat(20_000),
  'stars around a letter': `${'*'.repeat(10_000)}a${'*'.repeat(10_000)}`,
  'stars between blanks': '* '.repeat(10_000),
  'openers without an end': '**a '.repeat(5_000),
  'mixed openers': '**a *b _c `d '.repeat(1_600),
  underscores: '_a'.repeat(10_000),
  ticks: '`'.repeat(20_000),
  'ticks after a letter': `a${'`'.repeat(59_000)}`,
  'ladders of ticks': Array.from({ length: 190 }, (_, at) => '`'.repeat(at)).join(' '),
  brackets: '['.repeat(20_000),
  quotes: '>'.repeat(20_000),
  hashes: '#'.repeat(20_000),
  'a list of thousands': '- a\n'.repeat(5_000),
  'numbers of thousands': '1. a\n'.repeat(4_000),
  'a deep list': Array.from({ length: 190 }, (_, at) => `${' '.repeat(at)}- a`).join('\n'),
  'one long word': 'W'.repeat(20_000),
  blanks: ' '.repeat(20_000),
  'empty lines': '\n'.repeat(20_000),
  'pipes without a table': '|'.repeat(20_000),
  'a table of thousands': `|a|b|\n|-|-|\n${'|a|b|\n'.repeat(4_000)}`,
  'a wide table': `${'|a'.repeat(5_000)}|\n${'|-'.repeat(5_000)}|`,
  'nested quotes': Array.from({ length: 190 }, (_, at) => `${'>'.repeat(at)} a`).join('\n'),
  'fences without an end': '```\na\n'.repeat(2_500),
  'links without an end': '[a](https://'.repeat(1_600),
  'tildes and words': '~~a~~b'.repeat(3_300),
  joiners: 'a\u200d'.repeat(10_000),
  marks: `a${'\u0301'.repeat(20_000)}`,
};

/** The only elements that a card is allowed to contain. */
const OURS = new Set(
  'ARTICLE HEADER DIV SLOT SPAN TIME IMG BUTTON svg path P DETAILS SUMMARY SMALL FOOTER UL OL LI STRONG EM DEL CODE PRE HR BLOCKQUOTE TABLE THEAD TBODY TR TH TD'.split(
    ' ',
  ),
);

/**
 * Whether a card is allowed to contain `element`. Links must use `https:`, be in the analysis, open a new tab, and be
 * `nofollow`.
 */
export function isOurs(element: Element): boolean {
  if (!(element instanceof HTMLAnchorElement)) return OURS.has(element.tagName);
  const { href, target, rel } = element;
  const isSafe = href.startsWith('https:') && target === '_blank' && rel === 'nofollow noopener';
  return isSafe && !!element.closest('[part=analysis]');
}

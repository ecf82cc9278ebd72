import type { Mutation } from './mutation.ts';

const HOSTILE = 'packages/widget/src/testing/hostile.browser.ts';

/** What keeps the page whole that a card stands in. */
export const CARD_MUTATIONS: readonly Mutation[] = [
  {
    name: 'unseen characters are taken out',
    threats: ['T-39'],
    file: 'packages/widget/src/clean-text.ts',
    from: ".replace(UNSEEN, '')",
    to: '',
    tests: ['packages/widget/src/clean-text.test.ts'],
  },
  {
    name: 'text is cut before it is parsed',
    threats: ['T-38'],
    file: 'packages/widget/src/clean-text.ts',
    from: 'text.length > limit ? `${text.slice(0, limit - 1)}…` : text',
    to: 'text',
    tests: ['packages/widget/src/clean-text.test.ts', 'packages/widget/src/pulse-guard.test.ts'],
  },
  {
    name: 'images come by https: alone',
    threats: ['T-36'],
    file: 'packages/widget/src/safe-url.ts',
    from: 'return SAFE.test(raw) ? raw : null;',
    to: 'return raw || null;',
    tests: ['packages/widget/src/safe-url.test.ts'],
  },
  {
    name: 'the card checks what the BFF sends',
    threats: ['T-41', 'T-43'],
    file: 'packages/widget/src/pulse-guard.ts',
    from: "if (!isId(pulse.jobRunId) || !isId(pulse.sourceId) || (pulse.status ?? 'SUCCESS') !== 'SUCCESS') return null;",
    to: '',
    tests: ['packages/widget/src/pulse-guard.test.ts'],
  },
  {
    name: 'the image’s address is checked in the card, too',
    threats: ['T-36', 'T-37'],
    file: 'packages/widget/src/pulse-guard.ts',
    from: "imageUrl: safeUrl(readText(pulse.imageUrl, LONG_LIMIT) ?? ''),",
    to: 'imageUrl: readText(pulse.imageUrl, LONG_LIMIT),',
    tests: ['packages/widget/src/pulse-guard.test.ts'],
  },
  {
    name: 'an id can not break out of a request',
    threats: ['T-15'],
    file: 'packages/widget/src/pulse-guard.ts',
    from: String.raw`/^[\w~-][\w.~-]{0,127}$/.test(id)`,
    to: 'id.length < 999',
    tests: ['packages/widget/src/pulse-guard.test.ts'],
  },
  {
    name: 'the snippet can not be broken out of',
    threats: ['T-35'],
    file: 'packages/widget/src/escape-html.ts',
    from: 'return text.replace(/[&<>"\']/g, (character) => `&#${character.charCodeAt(0)};`);',
    to: 'return text;',
    tests: ['packages/widget/src/snippet.test.ts'],
  },
  {
    name: 'no cookies go to another origin',
    threats: ['T-48'],
    file: 'packages/widget/src/pulse-client.ts',
    from: 'fetchData(url, { cache,',
    to: "fetchData(url, { ...{ credentials: 'include' }, cache,",
    tests: ['packages/widget/src/pulse-client.test.ts'],
  },
  {
    name: 'Retry-After is believed up to five minutes',
    threats: ['T-28'],
    file: 'packages/widget/src/pulse-client.ts',
    from: "Math.min(Number(headers.get('Retry-After')) || 0, RETRY_AFTER_MAX_S)",
    to: "(Number(headers.get('Retry-After')) || 0)",
    tests: ['packages/widget/src/pulse-client.test.ts'],
  },
  {
    name: 'a page that refuses the policy is left as it is',
    threats: ['T-44'],
    file: 'packages/widget/src/trusted-types.ts',
    from: `    refused = true;
    return undefined;`,
    to: '    throw new TypeError("refused");',
    tests: ['packages/widget/src/testing/strict-pages.browser.ts'],
  },
  {
    name: 'markup in commentary makes no element',
    threats: ['T-35'],
    file: 'packages/widget/src/markdown/markdown-view.ts',
    from: 'if (!part || !kind) return part;',
    to: "if (!part || !kind) { const box = document.createElement('span'); box.innerHTML = part; return box; }",
    tests: [HOSTILE],
  },
];

import type { Mutation } from './mutation.ts';

/** What keeps the page whole that a card stands in. */
export const CARD_MUTATIONS: readonly Mutation[] = [
  {
    name: 'unseen characters are taken out',
    threats: ['T-39'],
    from: ".replace(INVISIBLE, '')",
    to: '',
  },
  {
    name: 'text is cut before it is parsed',
    threats: ['T-38'],
    from: 'text.length > limit ? `${text.slice(0, limit - 1)}…` : text',
    to: 'text',
  },
  {
    name: 'images come by https: alone',
    threats: ['T-36'],
    from: 'return SAFE_URL.test(url) ? url : null;',
    to: 'return url || null;',
  },
  {
    name: 'the card checks what the BFF sends',
    threats: ['T-41', 'T-43'],
    from: "if (!isId(pulse.jobRunId) || !isId(pulse.sourceId) || (pulse.status ?? 'SUCCESS') !== 'SUCCESS') return null;",
    to: '',
  },
  {
    name: 'the image’s address is checked in the card, too',
    threats: ['T-36', 'T-37'],
    from: "imageUrl: safeUrl(parseText(pulse.imageUrl, MAX_LONG) ?? ''),",
    to: 'imageUrl: parseText(pulse.imageUrl, MAX_LONG),',
  },
  {
    name: 'an id can not break out of a request',
    threats: ['T-15'],
    from: String.raw`/^[\w~-][\w.~-]{0,127}$/.test(id)`,
    to: 'id.length < 999',
  },
  {
    name: 'the snippet can not be broken out of',
    threats: ['T-35'],
    file: 'packages/widget/src/snippet/escape-html.ts',
    from: 'return text.replace(/[&<>"\']/g, (character) => `&#${character.charCodeAt(0)};`);',
    to: 'return text;',
  },
  {
    name: 'no cookies go to another origin',
    threats: ['T-48'],
    from: 'this.fetch(path, { cache,',
    to: "this.fetch(path, { credentials: 'include', cache,",
  },
  {
    name: 'Retry-After is believed up to five minutes',
    threats: ['T-28'],
    from: "Math.min(Number(headers.get('Retry-After')) || 0, MAX_RETRY_AFTER_S)",
    to: "(Number(headers.get('Retry-After')) || 0)",
  },
  {
    name: 'a page that refuses the policy is left as it is',
    threats: ['T-44'],
    file: 'packages/widget/build/page-guard.ts',
    from: '} catch (error) {',
    to: '} catch (error) { throw error;',
  },
  {
    name: 'markup in commentary makes no element',
    threats: ['T-35'],
    from: 'if (!text || kind === 0) return text;',
    to: "if (!text || kind === 0) { const box = document.createElement('span'); box.innerHTML = text ?? ''; return box; }",
  },
];

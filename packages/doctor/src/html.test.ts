import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodePage, pageElementsIn } from './html.ts';

const cardsIn = (html: string) =>
  pageElementsIn(html).cards.map(({ attributes, line, isClosed, endsWithSlash, images }) => ({
    id: attributes['source-id'],
    line,
    isClosed,
    endsWithSlash,
    images,
  }));

describe('pageElementsIn()', () => {
  it('finds cards in any letter case, with their lines, end tags, and images', () => {
    const html =
      '<html>\r\n<PULSE-CARD Source-ID=a><svg><image href="/i.png"/></svg><img src=j.png></Pulse-Card>\n<pulse-board />\n<p>';
    assert.deepEqual(cardsIn(html), [
      { id: 'a', line: 2, isClosed: true, endsWithSlash: false, images: ['/i.png', 'j.png'] },
      { id: undefined, line: 3, isClosed: false, endsWithSlash: true, images: [] },
    ]);
  });

  it('ignores tags in comments, templates, <noscript>, scripts, titles, and attributes', () => {
    const tag = '<pulse-card></pulse-card>';
    const texts = [
      `<!-- ${tag} -->`,
      `<template>${tag}</template>`,
      `<noscript>${tag}</noscript>`,
      `<script>"${tag}"</script>`,
      `<title>${tag}</title>`,
      `<textarea>${tag}</textarea>`,
      `<p title="${tag}">`,
    ];
    assert.deepEqual(cardsIn(texts.join('\n')), []);
    assert.equal(cardsIn(`${texts[1] ?? ''}${tag}`).length, 1);
    assert.equal(cardsIn(`<x-host><template shadowrootmode="open">${tag}</template></x-host>`).length, 1);
  });

  const hostile: Readonly<Record<string, string>> = {
    'elements that never end': '<b><p><form><a>'.repeat(130_000),
    'a tag with countless attributes': `<pulse-card ${Array.from({ length: 200_000 }, (_, at) => `a${at}`).join(' ')}>`,
    'countless cards': '<pulse-card></pulse-card>'.repeat(80_000),
    'countless end tags': `${'<i>'.repeat(500)}${'</u>'.repeat(400_000)}`,
    'nested templates': '<template>'.repeat(200_000),
    'an unfinished comment': `<!--${'<!--'.repeat(500_000)}`,
  };
  for (const [what, html] of Object.entries(hostile)) {
    it(`reads ${what} within the time limit (T-69)`, { timeout: 120_000 }, () => {
      const { cards } = pageElementsIn(html);
      assert.ok(cards.length <= 100);
    });
  }
});

describe('decodePage()', () => {
  for (const [what, bytes, type] of [
    ['UTF-8 by its header', Buffer.from('é'), 'text/html; charset=utf-8'],
    ['Latin 1 by its header', Buffer.from([0xe9]), 'text/html;charset="iso-8859-1"'],
    ['UTF-16 by its mark', Buffer.from([0xff, 0xfe, 0xe9, 0]), 'text/html'],
    ['windows-1252 by nothing', Buffer.from([0xe9]), undefined],
    ['a charset that does not exist', Buffer.from([0xe9]), 'text/html; charset=canary'],
  ] as const)
    it(`reads ${what}`, () => assert.equal(decodePage(bytes, type), 'é'));

  it('reads a page that declares its charset in HTML, and a page with an unsupported charset', () => {
    const meta = (name: string) => Buffer.from(`<meta charset="${name}">\xe4`, 'latin1');
    assert.match(decodePage(meta('iso-8859-5'), 'text/html'), /ф$/);
    assert.match(decodePage(meta('x-user-defined'), 'text/html'), /^<meta/);
    assert.equal(typeof decodePage(meta('iso-2022-kr'), 'text/html'), 'string');
  });
});

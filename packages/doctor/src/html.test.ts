import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pageElementsIn } from './html.ts';

const cardsIn = (html: string) =>
  pageElementsIn(html).cards.map(({ attributes, line, isClosed, endsWithSlash, images }) => ({
    id: attributes['source-id'],
    line,
    isClosed,
    endsWithSlash,
    images,
  }));

describe('pageElementsIn()', () => {
  it('finds cards in any letter case, with their line numbers, end tags, and images', () => {
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

  it('ignores a card in SVG, MathML, and elements that don’t show their content, like browsers', () => {
    const tag = '<pulse-card></pulse-card>';
    for (const html of [
      `<svg>${tag}</svg>`,
      `<svg><g>${tag}</g></svg>`,
      `<svg><foreignObject><svg>${tag}</svg></foreignObject></svg>`,
      `<svg><desc>${tag}</desc></svg>`,
      `<math>${tag}</math>`,
      `<select><option>${tag}</select>`,
      `<option>${tag}</option>`,
      `<meter>${tag}</meter>`,
      `<progress>${tag}</progress>`,
      `<template><svg><foreignObject>${tag}</foreignObject></svg></template>`,
    ])
      assert.deepEqual(cardsIn(html), [], html);
    for (const html of [
      `<svg></svg>${tag}`,
      `<svg/>${tag}`,
      `<svg><foreignObject>${tag}</foreignObject></svg>`,
      `<svg><foreignObject><p></p></foreignObject></svg>${tag}`,
      `<svg><foreignObject><svg></svg>${tag}</foreignObject></svg>`,
      `<math><mtext>${tag}</mtext></math>`,
      // A tag such as <p> ends SVG and MathML, even if it is closed.
      `<svg><g><p>${tag}</p></svg>`,
      `<svg><g><p></p>${tag}</svg>`,
      `<select></select>${tag}`,
    ])
      assert.equal(cardsIn(html).length, 1, html);
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

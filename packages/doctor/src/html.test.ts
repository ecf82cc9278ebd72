import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PageElements } from './html.ts';

const cardsIn = (html: string) =>
  new PageElements(html).cards.map(({ attributes, line, isClosed, images }) => ({
    id: attributes['source-id'],
    line,
    isClosed,
    images,
  }));

describe('new PageElements()', () => {
  it('finds cards in any letter case, with their line numbers, end tags, and images', () => {
    const html =
      '<html>\r\n<PULSE-CARD Source-ID=a><svg><foreignObject><img src=j.png></foreignObject></svg></Pulse-Card>\r<pulse-board />\n<p>';
    assert.deepEqual(cardsIn(html), [
      { id: 'a', line: 2, isClosed: true, images: ['j.png'] },
      { id: undefined, line: 3, isClosed: false, images: [] },
    ]);
  });

  it('ignores tags where browsers show no card, such as in comments, templates, <noscript>, and attributes', () => {
    const tag = '<pulse-card></pulse-card>';
    const texts = [
      `<!-- ${tag} -->`,
      `<template>${tag}</template>`,
      `<noscript>${tag}</noscript>`,
      `<script>"${tag}"</script>`,
      `<title>${tag}</title>`,
      `<textarea>${tag}</textarea>`,
      `<iframe>${tag}</iframe>`,
      `<xmp>${tag}</xmp>`,
      `<svg>${tag}</svg>`,
      `<select>${tag}</select>`,
      `<video>${tag}</video>`,
      `<canvas>${tag}</canvas>`,
      `<p title="${tag}">`,
    ];
    assert.deepEqual(cardsIn(texts.join('\n')), []);
    assert.deepEqual(new PageElements('<progress-bar>').misspelt, []);
    assert.deepEqual(cardsIn(`${'<i>'.repeat(600)}${tag}`), []);
    assert.equal(cardsIn(`${texts[1] ?? ''}${tag}`).length, 1);
    assert.equal(cardsIn(`<x-host><template shadowrootmode="open">${tag}</template></x-host>`).length, 1);
  });

  it('finds policies only in the head, because browsers ignore them elsewhere', () => {
    const meta = (policy: string) => `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
    const head = `${meta('a')}<noscript><img></noscript><title>${meta('b')}</title></head>${meta('c')}`;
    assert.deepEqual(new PageElements(`<html><head>${head}<body>${meta('d')}`).policies, ['a', 'c']);
    assert.deepEqual(new PageElements(`${meta('a')}<p>${meta('b')}`).policies, ['a']);
  });

  const hostile: Readonly<Record<string, string>> = {
    'elements that never end': '<b><p><form><a>'.repeat(130_000),
    'a tag with countless attributes': `<pulse-card ${Array.from({ length: 200_000 }, (_, at) => `a${at}`).join(' ')}>`,
    'countless end tags': `${'<i>'.repeat(500)}${'</u>'.repeat(400_000)}`,
    'an unfinished comment': `<!--${'<!--'.repeat(500_000)}`,
  };
  for (const [what, html] of Object.entries(hostile)) {
    it(`reads ${what} within the time limit (T-69)`, { timeout: 120_000 }, () => {
      const { cards } = new PageElements(html);
      assert.ok(cards.length <= 100);
    });
  }
});

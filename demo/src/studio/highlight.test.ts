import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { highlight, highlightedLines } from './highlight.ts';

const CODE = `<!-- wp:html -->
<script type="module" src="https://pulse.example.com/pulse-card.js"></script>
import { PulseCard } from '@pulse-card/widget/react';
// A comment with "quotes"`;

describe('highlight()', () => {
  it('keeps every character', () => {
    assert.equal(
      highlight(CODE)
        .map(({ text }) => text)
        .join(''),
      CODE,
    );
  });

  it('distinguishes tags, strings, keywords, and comments', () => {
    const kinds = new Map(highlight(CODE).map(({ text, kind }) => [text, kind]));
    assert.equal(kinds.get('script'), 'tag');
    assert.equal(kinds.get('"https://pulse.example.com/pulse-card.js"'), 'string');
    assert.equal(kinds.get('import'), 'keyword');
    assert.equal(kinds.get('// A comment with "quotes"'), 'comment');
  });
});

describe('highlightedLines()', () => {
  it('returns as many lines as the code has', () => {
    assert.deepEqual(
      highlightedLines(CODE).map((parts) => parts.map(({ text }) => text).join('')),
      CODE.split('\n'),
    );
  });
});

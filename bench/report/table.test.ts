import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { median, percent, table } from './table.ts';

describe('table()', () => {
  it('puts numbers at the right and words at the left', () => {
    const drawn = table(['what', 'how many'], [['calls', 12_345]]);
    assert.equal(drawn, '| what | how many |\n| --- | ---: |\n| calls | 12,345 |');
  });

  it('gives a number as many decimals as it needs', () => {
    assert.match(table(['n'], [[0.4567], [12.345], [123.45], [7]]), /0\.46[^]*12\.3[^]*123 [^]*7 /);
  });

  it('marks what was not measured', () => {
    assert.match(table(['n'], [[undefined]]), /–/);
  });
});

describe('median()', () => {
  it('is the middle of an odd count and between the middles of an even one', () => {
    assert.equal(median([9, 1, 5]), 5);
    assert.equal(median([9, 1, 5, 7]), 6);
  });
});

describe('percent()', () => {
  it('has one decimal', () => {
    assert.equal(percent(0.98765), '98.8 %');
  });
});

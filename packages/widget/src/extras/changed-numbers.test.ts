import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changedNumbers } from './changed-numbers.ts';

const changedIn = (text: string, previous?: string): string[] =>
  changedNumbers(text, previous)
    .filter(([, isChanged]) => isChanged)
    .map(([part]) => part);

describe('changedNumbers()', () => {
  for (const [text, previous, changed] of [
    ['Up 1.8 % to 142.8 million in 2015', 'Up 1.9 % to 142.5 million in 2015', ['1.8 %', '142.8']],
    ['Up 5 and 5', 'Up 5 and 6', ['5']],
    ['Down −3%', 'Down 3%', ['−3%']],
    ['1,204 orders', '1,204 orders', []],
    ['1.204,50 €', '1.204,40 €', ['1.204,50']],
    ['12\u202f345 commandes', '12\u202f344 commandes', ['12\u202f345']],
    ['ارتفعت ٥٪', 'ارتفعت ٤٪', ['٥٪']],
    ['Revenue rose', 'Revenue fell by 3', []],
    ['Revenue rose by 3', '', []],
    ['Up 3.', 'Up 4.', ['3']],
  ] as const)
    it(`returns ${JSON.stringify(changed)} for "${text}" after "${previous}"`, () =>
      assert.deepEqual(changedIn(text, previous), changed));

  it('marks no numbers as changed if there is no previous text', () => assert.deepEqual(changedIn('Up 5'), []));

  it('returns parts that together make up the whole text', () => {
    const text = 'Up 1.8 % to 142.8 million.';
    assert.equal(
      changedNumbers(text, 'Up')
        .map(([part]) => part)
        .join(''),
      text,
    );
  });

  it('takes linear time for long numbers', () => {
    // The time that the processor takes doesn't depend on other processes.
    const start = process.cpuUsage();
    changedNumbers('1,'.repeat(2_000) + '1'.repeat(4_000), '1');
    assert.ok(process.cpuUsage(start).user < 500_000);
  });
});

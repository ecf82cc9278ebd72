import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changesSince, messageOf, toldOf } from './changes.ts';
import type { Trouble } from './troubles.ts';

const troubleOf = (topic: string, stage = 'x'): Trouble => ({
  topic,
  stage,
  text: `${topic} is wrong.`,
  over: `${topic} is right.`,
});

describe('changesSince()', () => {
  it('has none where every trouble was told', () => {
    const troubles = [troubleOf('key'), troubleOf('service')];
    assert.equal(changesSince(toldOf(troubles), troubles), undefined);
  });

  it('has a trouble that was not told', () => {
    assert.deepEqual(changesSince({}, [troubleOf('key')])?.begun, [troubleOf('key')]);
  });

  it('has a trouble that was told at another stage', () => {
    const told = toldOf([troubleOf('key', '15')]);
    assert.deepEqual(changesSince(told, [troubleOf('key', '7')]), { begun: [troubleOf('key', '7')], over: [] });
  });

  it('has a told trouble that is over', () => {
    const changes = changesSince(toldOf([troubleOf('key')]), []);
    assert.deepEqual(
      changes?.over.map(({ over }) => over),
      ['key is right.'],
    );
  });
});

describe('messageOf()', () => {
  it('is one text that names the BFF, what is wrong and what is over', () => {
    const over = [{ stage: 'x', over: 'b is right.' }];
    const message = messageOf({ begun: [troubleOf('a')], over }, 'https://pulse.example.com');
    assert.equal(message, 'Pulse Card at https://pulse.example.com\n• a is wrong.\n• Over: b is right.');
  });

  it('shows ten lines and counts the rest', () => {
    const begun = Array.from({ length: 14 }, (_, at) => troubleOf(`t${at}`));
    const lines = messageOf({ begun, over: [] }, 'here').split('\n');
    assert.equal(lines.length, 12);
    assert.equal(lines.at(-1), '• And 4 more: see the status page.');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { safeName, type TroubleFacts, troublesOf } from './troubles.ts';

const CALM: TroubleFacts = {
  expiry: undefined,
  isKeyRefused: false,
  isNewKeyRefused: false,
  downForMs: 0,
  brokenSources: [],
};

const endsIn = (inDays: number): TroubleFacts => ({
  ...CALM,
  expiry: { day: '2027-02-20', inDays, isGuess: false },
});

describe('troublesOf()', () => {
  it('is empty while all is well', () => assert.deepEqual(troublesOf(CALM), []));

  for (const [inDays, stages] of [
    [16, []],
    [15, ['15']],
    [8, ['15']],
    [7, ['7']],
    [2, ['7']],
    [1, ['1']],
    [-3, ['1']],
  ] as const) {
    it(`has the stages [${stages.join()}] when the key ends in ${inDays} days`, () => {
      const found = troublesOf(endsIn(inDays)).map(({ stage }) => stage);
      assert.deepEqual(found, stages);
    });
  }

  it('says when the key ends and what to do', () => {
    assert.equal(
      troublesOf(endsIn(15))[0]?.text,
      'The API key ends on 2027-02-20, in 15 days. Make a new key and put it in its place.',
    );
  });

  it('has one trouble where the key in use is refused', () => {
    const [trouble, ...rest] = troublesOf({ ...CALM, isKeyRefused: true, isNewKeyRefused: true });
    assert.match(trouble?.text ?? '', /refuses the API key/);
    assert.deepEqual(rest, []);
  });

  it('says that the old key stays in use where only the new one is refused', () => {
    assert.match(troublesOf({ ...CALM, isNewKeyRefused: true })[0]?.text ?? '', /the one before stays in use/);
  });

  it('waits for ten minutes before the service counts as down', () => {
    assert.deepEqual(troublesOf({ ...CALM, downForMs: 599_999 }), []);
    assert.match(troublesOf({ ...CALM, downForMs: 600_000 })[0]?.text ?? '', /for 10 minutes/);
  });

  it('names each BROKEN source, by its id where it has no name', () => {
    const brokenSources = [
      { sourceId: 'src_1', name: 'Q2 revenue' },
      { sourceId: 'src_2', name: null },
    ];
    const texts = troublesOf({ ...CALM, brokenSources }).map(({ text }) => text);
    assert.match(texts[0] ?? '', /"Q2 revenue" is BROKEN/);
    assert.match((texts[1] ?? '').replaceAll('\u200B', ''), /"src_2" is BROKEN/);
  });
});

describe('safeName()', () => {
  it('cuts a name to 80 characters', () => assert.equal(Array.from(safeName('é'.repeat(200))).length, 80));

  it('is one line without control and direction characters', () => {
    assert.equal(safeName('a\r\nb\u202Ec\u0007d\u2028e'), 'a bcd e');
  });

  for (const [name, read] of [
    ['<!channel> & <https://evil.test|here>', /^[^<>]*$/],
    ['@channel @here', /^(?!.*@[a-z])/],
    ['[click](https://evil.test)', /^(?!.*\]\()(?!.*:\/\/)/],
    ['**bold** `code` ~gone~', /^(?!.*\*\*)(?!.*`c)(?!.*~g)/],
  ] as const) {
    it(`T-70 leaves no mention, link or markup in ${name}`, () => assert.match(safeName(name), read));
  }
});

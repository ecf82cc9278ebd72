import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { safeName, type IncidentFacts, incidentsOf } from './incidents.ts';

const CALM: IncidentFacts = {
  expiry: undefined,
  isKeyRefused: false,
  isNewKeyRefused: false,
  downForMs: 0,
  brokenSources: [],
};

const endsIn = (inDays: number): IncidentFacts => ({
  ...CALM,
  expiry: { day: '2027-02-20', inDays, isGuess: false },
});

describe('incidentsOf()', () => {
  it('is empty while all is well', () => assert.deepEqual(incidentsOf(CALM), []));

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
      const found = incidentsOf(endsIn(inDays)).map(({ stage }) => stage);
      assert.deepEqual(found, stages);
    });
  }

  it('says when the key ends and what to do', () => {
    assert.equal(
      incidentsOf(endsIn(15))[0]?.text,
      'The API key ends on 2027-02-20, in 15 days. Make a new key and put it in its place.',
    );
  });

  it('has one incident where the key in use is refused', () => {
    const [incident, ...rest] = incidentsOf({ ...CALM, isKeyRefused: true, isNewKeyRefused: true });
    assert.match(incident?.text ?? '', /refuses the API key/);
    assert.deepEqual(rest, []);
  });

  it('says that the old key stays in use where only the new one is refused', () => {
    assert.match(incidentsOf({ ...CALM, isNewKeyRefused: true })[0]?.text ?? '', /the one before stays in use/);
  });

  it('waits for ten minutes before the service counts as down', () => {
    assert.deepEqual(incidentsOf({ ...CALM, downForMs: 599_999 }), []);
    assert.match(incidentsOf({ ...CALM, downForMs: 600_000 })[0]?.text ?? '', /for 10 minutes/);
  });

  it('names each BROKEN source, by its id where it has no name', () => {
    const brokenSources = [
      { sourceId: 'src_1', name: 'Q2 revenue' },
      { sourceId: 'src_2', name: null },
    ];
    const texts = incidentsOf({ ...CALM, brokenSources }).map(({ text }) => text);
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

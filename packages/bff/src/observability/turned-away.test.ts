import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnedAway } from './turned-away.ts';

const SITE = 'https://blog.example.net';

describe('turnedAway()', () => {
  it('says what each refusal means and what to do, most frequent first', () =>
    assert.deepEqual(
      turnedAway([
        { code: 'source_unknown', origin: SITE, count: 3, sourceId: 'src_old' },
        { code: 'origin_forbidden', origin: SITE, count: 14 },
      ]),
      [
        {
          code: 'origin_forbidden',
          origin: SITE,
          count: 14,
          words: 'This site is not allowed',
          advice: 'If it is yours: add it to PULSE_ALLOWED_ORIGINS',
        },
        {
          code: 'source_unknown',
          origin: SITE,
          count: 3,
          sourceId: 'src_old',
          words: 'No such source',
          advice: 'A page still shows src_old',
        },
      ],
    ));

  it('does not send an operator to add "null" to the allowed origins', () =>
    assert.match(
      turnedAway([{ code: 'origin_forbidden', origin: 'null', count: 1 }])[0]?.advice ?? '',
      /^Serve the page/,
    ));
});

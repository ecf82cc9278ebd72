import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { AddressWriter } from './address-writer.ts';
import { DEFAULT_SETTINGS } from './settings.ts';

describe('AddressWriter', () => {
  let written: string[] = [];
  beforeEach(() => {
    written = [];
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
    const history = { replaceState: (_state: unknown, _title: string, url: string) => written.push(url) };
    Object.assign(globalThis, { history, location: { pathname: '/studio/' } });
  });
  afterEach(() => mock.timers.reset());

  it('writes the first setting immediately', () => {
    new AddressWriter().write({ ...DEFAULT_SETTINGS, sourceId: 'src_1' });
    assert.deepEqual(written, ['?source=src_1']);
  });

  it('stays under browsers’ limit on URL changes and always writes the slider’s final value', () => {
    const writer = new AddressWriter();
    for (let frame = 0; frame <= 600; frame += 1) {
      writer.write({ ...DEFAULT_SETTINGS, sourceId: `src_${frame}` });
      mock.timers.tick(16);
    }
    mock.timers.tick(1_000);
    assert.ok(written.length > 20 && written.length < 100, `${written.length} changes in 10 s`);
    assert.equal(written.at(-1), '?source=src_600');
  });
});

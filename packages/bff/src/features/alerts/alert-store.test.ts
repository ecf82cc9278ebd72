import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { join } from 'node:path';
import { fileText } from '../state-folder/file-text.ts';
import { type AlertRecord, alertStore, withKeySeen } from './alert-store.ts';

const RECORD: AlertRecord = {
  firstSeen: { 'key 1': 1_000 },
  sent: { key_ends: { stage: '15', headline: 'The key ends.' } },
};
const EMPTY: AlertRecord = { firstSeen: {}, sent: {} };

const storeIn = (folder: string) => alertStore(fileText(join(folder, 'alerts.json')));

describe('alertStore()', () => {
  it('saves the record for the next process, and creates no other file', async () => {
    using folder = temporaryFolder();
    await storeIn(folder.path).save(RECORD);
    assert.deepEqual(await storeIn(folder.path).load(), RECORD);
    assert.deepEqual(readdirSync(folder.path), ['alerts.json']);
  });

  for (const text of ['', '[]', '{"version":1,"firstSeen":7}', '{"version":2,"firstSeen":{},"sent":{}}'])
    it(`starts over if the file contains ${JSON.stringify(text)}`, async () => {
      using folder = temporaryFolder();
      folder.file('alerts.json', text);
      assert.deepEqual(await storeIn(folder.path).load(), EMPTY);
    });

  it('rejects if the folder isn’t writable, and keeps the record in memory', async () => {
    const store = storeIn('/proc/nowhere');
    await assert.rejects(store.save(RECORD));
    assert.deepEqual(await store.load(), RECORD);
  });
});

describe('withKeySeen()', () => {
  it('keeps the five newest keys', () => {
    let record = EMPTY;
    for (let at = 1; at <= 8; at += 1) record = withKeySeen(record, `key ${at}`, at);
    assert.deepEqual(Object.keys(record.firstSeen).sort(), ['key 4', 'key 5', 'key 6', 'key 7', 'key 8']);
  });
});

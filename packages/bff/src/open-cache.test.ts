import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from './config.ts';
import { openCache } from './open-cache.ts';
import { createVirtualClock } from './testing/virtual-clock.ts';

describe('openCache()', () => {
  const unusable = {
    PULSE_STATE_DIR: /PULSE_STATE_DIR: must be a folder that this process can write to \(ENOTDIR\)/,
    PULSE_API_KEY_FILE: /PULSE_API_KEY_FILE: must be a readable file with one line/,
  };
  for (const [variable, fault] of Object.entries(unusable))
    it(`names ${variable} if what it leads to cannot be used`, async () => {
      const key = variable === 'PULSE_API_KEY_FILE' ? {} : { PULSE_API_KEY: 'a-key-of-the-service' };
      const config = readConfig({ ...key, PULSE_BASE_URL: 'https://service.test', [variable]: import.meta.filename });
      const options = { clock: createVirtualClock(), observer: {}, warn: () => {}, onFault: () => {} };
      await assert.rejects(openCache(config, options), fault);
    });
});

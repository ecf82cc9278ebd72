import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bannerFor } from './banner.ts';

const ports = { service: 1, serviceAlt: 2, bff: 3, bffAdmin: 4, demo: 5 };
const bannerWith = (env: Record<string, string>, isHosted = false) =>
  bannerFor({ ports, isHosted, dataFolder: '.data', env });
const originLine = (env: Record<string, string>) => bannerWith(env).split('\n').at(-2);

describe('bannerFor()', () => {
  it('shows each server’s URL and the service in use', () => {
    for (const port of [1, 2, 3, 4, 5]) assert.ok(bannerWith({}).includes(`http://localhost:${port}`), String(port));
    const hosted = bannerWith({ PULSE_BASE_URL: 'https://api.test' }, true);
    assert.match(hosted, /^ +service +https:\/\/api\.test$/m);
  });

  it('repeats the warnings after the build output', () => {
    const line = 'PULSE_ALLOWED_ORIGIN isn’t a variable of Pulse Card; did you mean PULSE_ALLOWED_ORIGINS?';
    const banner = bannerFor({ ports, isHosted: false, dataFolder: '.data', env: {} }, [line]);
    assert.deepEqual(banner.split('\n').slice(-3, -2), [line]);
  });

  it('explains how to show a card on another page', () =>
    assert.equal(
      originLine({}),
      'To show a card on your own page, allow its origin: PULSE_ALLOWED_ORIGINS=http://localhost:8123 npm start',
    ));

  it('repeats every variable set for the servers, but no secrets or misspelled names', () =>
    assert.equal(
      originLine({
        PULSE_DEMO_PORT: '8',
        PULSE_EXPOSE: 'link,deliveryLink',
        PULSE_DATA_DIR: 'a b',
        HOST: '0.0.0.0',
        DATABASE_URL: 'postgres://u:secret@db/pulse',
        REDIS_URL: 'redis://:secret@cache',
        PULSE_ALERT_URL: 'https://hooks.test/secret',
        PULSE_API_KEY: 'secret',
        PULSE_STALE_MS: '',
        PULSE_APIKEY: 'secret',
        PATH: '/bin',
      }),
      "To show a card on your own page, allow its origin: PULSE_ALLOWED_ORIGINS=http://localhost:8123 PULSE_DEMO_PORT=8 PULSE_EXPOSE=link,deliveryLink PULSE_DATA_DIR='a b' HOST=0.0.0.0 DATABASE_URL=... REDIS_URL=... PULSE_ALERT_URL=... PULSE_API_KEY=... npm start",
    ));
});

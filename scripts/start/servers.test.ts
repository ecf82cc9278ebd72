import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bffServer, serviceServer } from './servers.ts';

const ports = { service: 1, serviceAlt: 2, bff: 3, bffAdmin: 4, demo: 5 };
const originsWith = (named?: string) => {
  const env = named === undefined ? {} : { PULSE_ALLOWED_ORIGINS: named };
  return bffServer({ ports, isHosted: false, dataFolder: '.data', env }).env['PULSE_ALLOWED_ORIGINS'];
};

describe('Every server of npm start', () => {
  it('listens on loopback only', () => {
    const plan = { ports, isHosted: false, dataFolder: '.data', env: {} };
    for (const server of [serviceServer, bffServer]) assert.equal(server(plan).env['HOST'], '127.0.0.1', server.name);
  });

  it('listens on another IP address if HOST specifies one', () => {
    const plan = { ports, isHosted: false, dataFolder: '.data', env: { HOST: '0.0.0.0' } };
    for (const server of [serviceServer, bffServer]) assert.equal(server(plan).env['HOST'], '0.0.0.0', server.name);
  });
});

describe('bffServer()', () => {
  it('allows the demo’s pages', () => {
    for (const named of [undefined, ''])
      assert.equal(originsWith(named), 'http://localhost:5,http://127.0.0.1:5', String(named));
  });

  it('puts the user’s origins first, so that errors give the right position', () =>
    assert.equal(
      originsWith('https://a.test,https://b.test'),
      'https://a.test,https://b.test,http://localhost:5,http://127.0.0.1:5',
    ));

  it('keeps *', () => assert.equal(originsWith('*'), '*'));
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { portsFrom } from './addresses.ts';
import { isHosted } from './hosted.ts';
import { serviceWarning } from './service-check.ts';
import { bffServer, serviceServer } from './servers.ts';

const ports = { service: 1, serviceAlt: 2, bff: 3, bffAdmin: 4, demo: 5 };
const planWith = (env: Readonly<Record<string, string>>) => ({ ports, isHosted: false, dataFolder: '.data', env });

describe('npm start', () => {
  it('listens only on loopback, or on the IP address in HOST', () => {
    for (const server of [serviceServer, bffServer]) {
      assert.equal(server(planWith({})).env['HOST'], '127.0.0.1', server.name);
      assert.equal(server(planWith({ HOST: '0.0.0.0' })).env['HOST'], '0.0.0.0', server.name);
    }
  });

  it('uses the default port if a variable is empty', () => assert.equal(portsFrom({ PULSE_BFF_PORT: '' }).bff, 4020));

  it('lists the user’s origins before the demo’s, so that errors show the right position', () => {
    const originsWith = (named: string) => bffServer(planWith({ PULSE_ALLOWED_ORIGINS: named })).env;
    const demo = 'http://localhost:5,http://127.0.0.1:5';
    for (const [named, allowed] of [
      ['', demo],
      ['https://a.test', `https://a.test,${demo}`],
      ['*', '*'],
    ] as const)
      assert.equal(originsWith(named)['PULSE_ALLOWED_ORIGINS'], allowed);
  });

  it('serves the user’s account if the environment has the service’s URL and a key', () => {
    assert.equal(isHosted({ PULSE_BASE_URL: 'https://a.test', PULSE_API_KEY_FILE: '/k' }), true);
    assert.equal(isHosted({ PULSE_API_KEY: '' }), false);
    assert.throws(() => isHosted({ PULSE_API_KEY: 'secret' }), /^UsageError: PULSE_BASE_URL: is required(?!.*secret)/);
    assert.throws(() => isHosted({ PULSE_BASE_URL: 'https://a.test' }), /^UsageError: PULSE_API_KEY: is required/);
  });

  it('repeats the BFF’s message and suggests a command for details if the service doesn’t work', async () => {
    const warningFor = (status: object) => serviceWarning(`data:application/json,${JSON.stringify(status)}#`);
    const summary = { headline: 'The service rejects the API key.' };
    assert.equal(await warningFor({ ready: true, degraded: [], summary }), undefined);
    assert.match(
      (await warningFor({ ready: false, degraded: [], summary })) ?? '',
      /^The service rejects the API key\. To see why.*pulse-bff -- check$/,
    );
    assert.equal(await warningFor({}), undefined);
  });
});

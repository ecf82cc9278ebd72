import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { portsFrom, refuseEqualPorts, refuseTakenPorts, START_PORTS, type StartPort } from './addresses.ts';

describe('portsFrom()', () => {
  it('uses the default ports if nothing is set', () => {
    assert.deepEqual(portsFrom({}), { service: 4010, serviceAlt: 4011, bff: 4020, bffAdmin: 4021, demo: 4030 });
  });

  it('reads each port from its variable', () => {
    for (const [name, { variable }] of Object.entries(START_PORTS))
      assert.equal(portsFrom({ [variable]: '5000' })[name as StartPort], 5000, variable);
  });

  for (const bad of ['', '0', '-1', '65536', '80.5', 'four']) {
    it(`rejects "${bad}" with a message that names the variable`, () => {
      assert.throws(() => portsFrom({ PULSE_SERVICE_PORT: bad }), /PULSE_SERVICE_PORT must be a port/);
    });
  }
});

describe('refuseEqualPorts()', () => {
  it('accepts different ports', () => refuseEqualPorts({ bff: 4020, demo: 4030 }));

  it('rejects two servers on the same port, and names the port and both variables', () => {
    assert.throws(() => refuseEqualPorts({ service: 4010, bff: 4030, bffAdmin: 4021, demo: 4030 }), {
      name: 'UsageError',
      message: 'Cannot start: PULSE_BFF_PORT and PULSE_DEMO_PORT are both 4030; set one of them to another port',
    });
  });
});

describe('refuseTakenPorts()', () => {
  it('accepts free ports', async () => {
    const port = await takePort().then(({ port, free }) => free().then(() => port));
    await refuseTakenPorts({ demo: port });
  });

  it('rejects a port that is in use, and names the port and its variable', async () => {
    const { port, free } = await takePort();
    await assert.rejects(refuseTakenPorts({ demo: port }), new RegExp(`port ${port} is taken.*PULSE_DEMO_PORT`));
    await free();
  });
});

async function takePort(): Promise<{ port: number; free: () => Promise<void> }> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, free: () => new Promise((resolve) => server.close(() => resolve())) };
}

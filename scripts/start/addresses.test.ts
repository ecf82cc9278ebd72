import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { portsFrom, refuseEqualPorts, START_PORTS, type StartPort, takenPorts } from './addresses.ts';

describe('portsFrom()', () => {
  it('uses the default ports if nothing is set', () => {
    assert.deepEqual(portsFrom({}), { service: 4010, serviceAlt: 4011, bff: 4020, bffAdmin: 4021, demo: 4030 });
  });

  it('reads each port from its variable', () => {
    for (const [name, { variable }] of Object.entries(START_PORTS))
      assert.equal(portsFrom({ [variable]: '5000' })[name as StartPort], 5000, variable);
  });

  for (const bad of ['', '0', '-1', '65536', '80.5', 'four']) {
    it(`rejects "${bad}" with a message that contains the variable’s name`, () => {
      assert.throws(() => portsFrom({ PULSE_SERVICE_PORT: bad }), /PULSE_SERVICE_PORT must be a port/);
    });
  }
});

describe('refuseEqualPorts()', () => {
  it('accepts different ports', () => refuseEqualPorts({ bff: 4020, demo: 4030 }));

  it('rejects two servers on the same port and reports the port and both variables', () => {
    assert.throws(() => refuseEqualPorts({ service: 4010, bff: 4030, bffAdmin: 4021, demo: 4030 }), {
      name: 'UsageError',
      message: 'Cannot start: PULSE_BFF_PORT and PULSE_DEMO_PORT are both 4030; set one of them to another port',
    });
  });
});

describe('takenPorts()', () => {
  it('is undefined if all ports are free', async () => {
    const { port, free } = await takePort();
    await free();
    assert.equal(await takenPorts({ demo: port }), undefined);
  });

  it('reports all ports that are in use, each with its variable', async () => {
    const [bff, demo] = [await takePort(), await takePort()];
    assert.equal(
      await takenPorts({ bff: bff.port, demo: demo.port }),
      `Cannot start: Pulse Card may already be running, because these ports are taken: ${bff.port} (PULSE_BFF_PORT), ${demo.port} (PULSE_DEMO_PORT). Stop the programs that use them, or set the variables to other ports`,
    );
    await Promise.all([bff.free(), demo.free()]);
  });
});

async function takePort(): Promise<{ port: number; free: () => Promise<void> }> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, free: () => new Promise((resolve) => server.close(() => resolve())) };
}

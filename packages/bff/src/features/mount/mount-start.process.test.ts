import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, it, mock } from 'node:test';
import { createPulseBff } from '../../index.ts';
import { startFakeService } from '../../testing/fake-service.ts';

const INDEX = new URL('../../index.ts', import.meta.url).href;

/**
 * Runs a script of a portal in a separate process. The script can use the BFF as `bff`. Resolves when the process has
 * ended.
 */
async function runScript(serviceUrl: string, options: string, script: string, variables: Record<string, string> = {}) {
  const settings = { PULSE_API_KEY: 'canary-key-0123456789', PULSE_BASE_URL: serviceUrl, ...variables };
  const code = `
    import { createPulseBff } from ${JSON.stringify(INDEX)};
    const bff = createPulseBff(${JSON.stringify(settings)}${options});
    ${script}`;
  const child = spawn(process.execPath, ['--conditions=source', '--input-type=module', '--eval', code]);
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
  const exitCode = await new Promise((resolve) => void child.on('close', resolve));
  return { exitCode, output: Buffer.concat(output).toString() };
}

describe('createPulseBff() on an older Node', () => {
  for (const version of ['20.20.2', '22.18.0'])
    it(`throws a one-line error that names ${version}`, () => {
      const { versions } = process;
      mock.property(process, 'versions', { ...versions, node: version });
      try {
        const message = `createPulseBff() needs Node 22.19 or newer; this is ${version}`;
        assert.throws(() => createPulseBff({}), { name: 'Error', message });
      } finally {
        mock.restoreAll();
      }
    });
});

describe('router.pulse() in a script', () => {
  it('keeps the process alive only until the pulse has been read', async () => {
    await using service = await startFakeService();
    const script = 'console.log((await bff.pulse("src_1")).ok);';
    const { exitCode, output } = await runScript(service.url, '', script);
    assert.match(output, /^true$/m);
    assert.equal(exitCode, 0);
  });
});

describe('createPulseBff() without authorize', () => {
  const WARNING = /"msg":"createPulseBff\(\) has no authorize: every request may see every source\./g;
  const warningsWith = async (options: string, variables?: Record<string, string>) => {
    await using service = await startFakeService();
    const script = 'await bff.ready; await bff.pulse("src_1", {}); await bff.close();';
    const { output } = await runScript(service.url, options, script, variables);
    return output.match(WARNING)?.length ?? 0;
  };

  it('logs one warning at startup', async () => assert.equal(await warningsWith(''), 1));

  it('logs no warning if "*" or a function is passed', async () => {
    assert.equal(await warningsWith(', { authorize: "*" }'), 0);
    assert.equal(await warningsWith(', { authorize: () => [] }'), 0);
  });
});

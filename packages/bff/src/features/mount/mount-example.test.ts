import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../../../scripts/free-port.ts';
import { startFakeService } from '../../testing/fake-service.ts';
import { until } from '../../../../testkit/src/until.ts';

const PAGE = fileURLToPath(new URL('../../../../../docs/private/mount.md', import.meta.url));

/**
 * The folder is inside the package, so that the example can import the package's libraries. It is never committed.
 */
const CACHE = fileURLToPath(new URL('../../../.cache/', import.meta.url));

describe('docs/private/mount.md', () => {
  it('has an example that runs, and that requires a session', async () => {
    const [, example = ''] = /<!-- example: [^>]+ -->\n```ts\n([^]*?)```/.exec(readFileSync(PAGE, 'utf8')) ?? [];
    await using service = await startFakeService();
    mkdirSync(CACHE, { recursive: true });
    using folder = mkdtempDisposableSync(join(CACHE, 'example-'));
    const file = join(folder.path, 'example.mts');
    writeFileSync(file, example.replace('app.listen(', `${LOGIN}\napp.listen(`));
    const port = await freePort();
    const child = spawn(process.execPath, ['--conditions=source', file], {
      env: {
        PATH: process.env['PATH'],
        PORT: String(port),
        SESSION_SECRET: 'canary-session-secret',
        PULSE_API_KEY: 'a-key-that-is-one',
        PULSE_BASE_URL: service.url,
      },
      stdio: 'ignore',
    });
    const ended = once(child, 'close');
    try {
      const portal = `http://127.0.0.1:${port}`;
      const path = `${portal}/pulse/v1/sources/src_1/pulse`;
      let login: Response | undefined;
      await until('the login', async () => {
        login = await fetch(`${portal}/login`, { method: 'POST' }).catch(() => undefined);
        return login !== undefined;
      });
      const cookie = login?.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      const response = await fetch(path, { headers: { Cookie: cookie } });
      assert.equal(response.status, 200);
      assert.match(response.headers.get('Cache-Control') ?? '', /^private, no-cache$/);
      assert.equal((await fetch(path)).status, 401);
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  });
});

/** The values that users of the example must fill in. */
const LOGIN = `app.post('/login', (request, response) => {
  request.session.user = 'member';
  response.end();
});`;

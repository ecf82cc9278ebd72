import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import express from 'express';
import type { PulseAnswer } from '@pulse-card/contract';
import { fullPulse } from '@pulse-card/contract/examples';
import { withholdRun } from '../../cli/withhold.ts';
import { ConfigError } from '../../config/config.ts';
import type { Core } from '../../feature.ts';
import { createPulseBff, createPulseStudio } from '../../index.ts';
import { startFakeService } from '../../testing/fake-service.ts';
import { until } from '../../../../testkit/src/until.ts';
import { serve } from '../../testing/serve.ts';
import { serveBff, statusOf } from '../../testing/served-bff.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
import { withheldFeature, type WithheldStatus } from './withheld.ts';

const RUN = fullPulse.jobRunId;
const TEXTS = /Revenue rose/;

/** A BFF with an empty PULSE_WITHHELD_FILE. */
async function serveWithheld() {
  const folder = temporaryFolder();
  const service = await startFakeService();
  const variables = { PULSE_WITHHELD_FILE: folder.file('withheld', '') };
  const bff = await serveBff({
    PULSE_API_KEY: 'a-key-that-is-one',
    PULSE_BASE_URL: service.url,
    PULSE_HISTORY: '30',
    PULSE_KEY_RELOAD_MS: '20',
    ...variables,
  });
  const get = (path: string, init?: RequestInit) => fetch(bff.url + path, init);
  await until('there is a pulse', async () => (await bff.read('src_1')).status === 200);
  return {
    variables,
    get,
    bff: bff.bff,
    isWithheld: async () => /"withheld":true/.test(await (await get('/v1/sources/src_1/pulse')).text()),
    async [Symbol.asyncDispose]() {
      await bff[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
      folder.remove();
    },
  };
}

/** The path of every response that contains text from a pulse. */
const CARRIERS = [
  '/v1/sources/src_1/pulse',
  '/v1/pulses?ids=src_1',
  '/v1/sources/src_1/runs',
  '/v1/sources/src_1/feed',
  '/v1/sources/src_1/fragment',
  '/embed/src_1',
  '/embed/src_1?accent=fff',
  `/embed/src_1?run=${RUN}`,
  '/oembed?url=http%3A%2F%2Flocalhost%3A4020%2Fembed%2Fsrc_1',
];

describe('A run in PULSE_WITHHELD_FILE', () => {
  it('loses its text in every response and gets a new ETag, but keeps its chart', async () => {
    await using open = await serveWithheld();
    const tags = new Map<string, string | null>();
    for (const path of CARRIERS) {
      const response = await open.get(path);
      tags.set(path, response.headers.get('ETag'));
      assert.match(await response.text(), TEXTS, path);
    }
    await withholdRun(open.variables, RUN, true);
    await until('it is withheld', open.isWithheld);
    for (const path of CARRIERS) {
      const response = await open.get(path);
      assert.equal(response.status, 200, path);
      assert.notEqual(response.headers.get('ETag'), tags.get(path), path);
      assert.doesNotMatch(await response.text(), TEXTS, path);
    }
    assert.doesNotMatch(await (await open.get('/embed/src_1')).text(), /ai-disclosure|TextObject/);
    const { pulse } = (await (await open.get('/v1/sources/src_1/pulse')).json()) as { pulse: Record<string, unknown> };
    const { aiSummaryShort, aiSummaryLong, withheld, imageUrl } = pulse;
    assert.deepEqual([aiSummaryShort, aiSummaryLong, withheld, imageUrl], [null, null, true, fullPulse.imageUrl]);
  });

  it('loses its text in the result of router.pulse()', async () => {
    await using service = await startFakeService();
    using folder = temporaryFolder();
    const bff = createPulseBff(
      {
        PULSE_API_KEY: 'a-key-that-is-one',
        PULSE_BASE_URL: service.url,
        PULSE_WITHHELD_FILE: folder.file('withheld', `${RUN}\n`),
        LOG_LEVEL: 'silent',
      },
      { authorize: '*' },
    );
    const outcome = await bff.pulse('src_1');
    await bff.close();
    assert.ok(outcome.ok);
    const { aiSummaryShort, aiSummaryLong, withheld } = outcome.pulse;
    assert.deepEqual([aiSummaryShort, aiSummaryLong, withheld], [null, null, true]);
  });

  it('is withheld within 60 s, even if key files are read only once an hour', async () => {
    using folder = temporaryFolder();
    const path = folder.file('withheld', '');
    const clock = createVirtualClock();
    const core = { config: { reloadMs: 3_600_000 }, clock, isMounted: true } as unknown as Core;
    const feature = await withheldFeature.open(core, { PULSE_WITHHELD_FILE: path });
    const isWithheld = () => feature?.amend?.({ pulse: fullPulse } as unknown as PulseAnswer).pulse.withheld === true;
    folder.file('withheld', RUN);
    await clock.advance(60_000);
    await until('it is withheld', isWithheld);
    await feature?.close?.();
  });

  it('is shown again once it is released', async () => {
    await using open = await serveWithheld();
    await withholdRun(open.variables, RUN, true);
    await until('it is withheld', open.isWithheld);
    await withholdRun(open.variables, RUN, false);
    await until('it is shown', async () => !(await open.isWithheld()));
    assert.match(await (await open.get('/embed/src_1')).text(), TEXTS);
  });

  it('can be withheld on the private port by the status page, but not by other sites', async () => {
    await using open = await serveWithheld();
    await using admin = await serve(express().use(open.bff.operatorPages));
    const post = (body: object, headers: Record<string, string> = { 'X-Pulse-Studio': '1' }) =>
      fetch(`${admin.url}/studio/api/withheld`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const given = { run: RUN, withheld: true };
    assert.equal((await post(given, {})).status, 403);
    assert.equal((await post(given, { 'X-Pulse-Studio': '1', 'Sec-Fetch-Site': 'cross-site' })).status, 403);
    for (const bad of [{}, { run: 'a b', withheld: true }, { run: RUN, withheld: 'yes' }])
      assert.equal((await post(bad)).status, 400);
    assert.equal(await open.isWithheld(), false);
    assert.equal((await post(given)).status, 200);
    assert.equal(await open.isWithheld(), true);
  });

  it('can’t be withheld if the file isn’t writable', async () => {
    await using open = await serveWithheld();
    await using admin = await serve(express().use(open.bff.operatorPages));
    rmSync(open.variables.PULSE_WITHHELD_FILE);
    mkdirSync(open.variables.PULSE_WITHHELD_FILE);
    const response = await fetch(`${admin.url}/studio/api/withheld`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Pulse-Studio': '1' },
      body: JSON.stringify({ run: RUN, withheld: true }),
    });
    assert.equal(response.status, 409);
    assert.match(await response.text(), /This server cannot write PULSE_WITHHELD_FILE/);
  });

  it('stays withheld if the file vanishes, until the status page writes the file again', async () => {
    await using open = await serveWithheld();
    await using admin = await serve(express().use(open.bff.operatorPages));
    const { PULSE_WITHHELD_FILE: path } = open.variables;
    await withholdRun(open.variables, RUN, true);
    await until('it is withheld', open.isWithheld);
    rmSync(path);
    const problem = () => statusOf(open.bff).problems.find(({ code }) => code === 'withheld_file_unusable');
    await until('it is reported', () => problem() !== undefined);
    assert.match(problem()?.headline ?? '', /^The file set in PULSE_WITHHELD_FILE is missing\. .* stay withheld\.$/);
    assert.equal(await open.isWithheld(), true);
    await fetch(`${admin.url}/studio/api/withheld`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Pulse-Studio': '1' },
      body: JSON.stringify({ run: 'run_other', withheld: true }),
    });
    assert.equal(readFileSync(path, 'utf8'), `${RUN}\nrun_other\n`);
    assert.equal(problem(), undefined);
  });

  it('is shown in /status, next to the run that readers see for each source', async () => {
    await using open = await serveWithheld();
    await withholdRun(open.variables, 'run_before', true);
    await until('it is read', () => withheldIn(statusOf(open.bff)).runs.length === 1);
    const { isWritable, runs, latestRuns } = withheldIn(statusOf(open.bff));
    assert.deepEqual([isWritable, runs, latestRuns['src_1']], [true, ['run_before'], RUN]);
  });

  it('can’t be withheld through a mounted Studio', async () => {
    await using service = await startFakeService();
    using folder = temporaryFolder();
    const bff = createPulseBff({
      PULSE_API_KEY: 'a-key-that-is-one',
      PULSE_BASE_URL: service.url,
      PULSE_WITHHELD_FILE: folder.file('withheld', ''),
    });
    await using admin = await serve(express().use(createPulseStudio(bff)));
    const headers = { 'Content-Type': 'application/json', 'X-Pulse-Studio': '1' };
    const init = { method: 'POST', headers, body: JSON.stringify({ run: RUN, withheld: true }) };
    assert.equal((await fetch(`${admin.url}/studio/api/withheld`, init)).status, 405);
    const status = await (await fetch(`${admin.url}/studio/api/status`, { headers })).json();
    assert.equal(withheldIn(status).isWritable, false);
    assert.equal(readFileSync(join(folder.path, 'withheld'), 'utf8'), '');
    await bff.close();
  });
});

function withheldIn(status: unknown): WithheldStatus {
  return (status as { withheld: WithheldStatus }).withheld;
}

describe('pulse-bff withhold and release', () => {
  it('report what they have done', async () => {
    using folder = temporaryFolder();
    const variables = { PULSE_WITHHELD_FILE: folder.file('withheld', '') };
    assert.match(
      await withholdRun(variables, 'run_1', true),
      /^The texts of run_1 are withheld\. .* within 60 seconds$/,
    );
    assert.match(await withholdRun(variables, 'run_1', true), /already withheld: nothing has changed$/);
    assert.match(await withholdRun(variables, 'run_1', false), /^The texts of run_1 are released\./);
  });

  it('say whether they have created the file', async () => {
    using folder = temporaryFolder();
    const variables = { PULSE_WITHHELD_FILE: join(folder.path, 'new') };
    assert.match(
      await withholdRun(variables, 'run_1', true),
      /^The file did not exist, so it was created\. The texts of /,
    );
    assert.match(await withholdRun(variables, 'run_2', true), /^The texts of /);
  });

  it('name the missing variable, the invalid run, or the file that can’t be written', async () => {
    await assert.rejects(
      withholdRun({}, 'run_1', true),
      new ConfigError(['PULSE_WITHHELD_FILE: is required, because it names the file to edit']),
    );
    using folder = temporaryFolder();
    await assert.rejects(
      withholdRun({ PULSE_WITHHELD_FILE: folder.file('w', '') }, 'a b', true),
      /The run is not valid/,
    );
    await assert.rejects(
      withholdRun({ PULSE_WITHHELD_FILE: folder.path }, 'run_1', true),
      /Cannot write the file set in PULSE_WITHHELD_FILE \(EISDIR\)/,
    );
  });
});

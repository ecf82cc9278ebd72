import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { publicSourceSchema, pulseOutcomeSchema } from '@pulse-card/contract';
import { writePreviewData } from './preview-data.ts';

describe('writePreviewData()', () => {
  const folder = mkdtempSync(join(tmpdir(), 'preview-'));
  after(() => rmSync(folder, { recursive: true }));
  const { sources, pulses } = writePreviewData(folder, new Date('2026-05-08T12:00:00.000Z'));

  it('writes the demo’s list and pulses in the format that a BFF uses', () => {
    assert.equal(sources.length, 10);
    assert.deepEqual(
      pulses.map(({ sourceId }) => sourceId),
      sources.map(({ id }) => id),
    );
    for (const source of sources) publicSourceSchema.parse(source);
    for (const outcome of pulses) {
      const imageUrl = outcome.ok ? new URL(outcome.pulse.imageUrl ?? '', 'https://a.test').href : null;
      pulseOutcomeSchema.parse(outcome.ok ? { ...outcome, pulse: { ...outcome.pulse, imageUrl } } : outcome);
    }
  });

  it('includes a source without a pulse and sources with late updates', () => {
    assert.ok(pulses.some((outcome) => !outcome.ok && outcome.code === 'pulse_not_found'));
    assert.ok(sources.some(({ status }) => status === 'DEGRADED'));
  });

  it('writes each chart to a file next to the data', () => {
    for (const outcome of pulses)
      if (outcome.ok) assert.ok(existsSync(join(folder, outcome.pulse.imageUrl ?? 'none')), outcome.sourceId);
  });
});

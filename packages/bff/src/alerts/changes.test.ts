import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changesSince, messageOf, sentOf } from './changes.ts';
import type { Incident } from './incidents.ts';

const incidentOf = (topic: string, stage = 'x'): Incident => ({
  topic,
  stage,
  text: `${topic} is wrong.`,
  over: `${topic} is right.`,
});

describe('changesSince()', () => {
  it('has none where every incident was sent', () => {
    const incidents = [incidentOf('key'), incidentOf('service')];
    assert.equal(changesSince(sentOf(incidents), incidents), undefined);
  });

  it('has an incident that was not sent', () => {
    assert.deepEqual(changesSince({}, [incidentOf('key')])?.begun, [incidentOf('key')]);
  });

  it('has an incident that was sent at another stage', () => {
    const sent = sentOf([incidentOf('key', '15')]);
    assert.deepEqual(changesSince(sent, [incidentOf('key', '7')]), { begun: [incidentOf('key', '7')], over: [] });
  });

  it('has a sent incident that is over', () => {
    const changes = changesSince(sentOf([incidentOf('key')]), []);
    assert.deepEqual(
      changes?.over.map(({ over }) => over),
      ['key is right.'],
    );
  });
});

describe('messageOf()', () => {
  it('is one text that names the BFF, what is wrong and what is over', () => {
    const over = [{ stage: 'x', over: 'b is right.' }];
    const message = messageOf({ begun: [incidentOf('a')], over }, 'https://pulse.example.com');
    assert.equal(message, 'Pulse Card at https://pulse.example.com\n• a is wrong.\n• Over: b is right.');
  });

  it('shows ten lines and counts the rest', () => {
    const begun = Array.from({ length: 14 }, (_, at) => incidentOf(`t${at}`));
    const lines = messageOf({ begun, over: [] }, 'here').split('\n');
    assert.equal(lines.length, 12);
    assert.equal(lines.at(-1), '• And 4 more: see the status page.');
  });
});

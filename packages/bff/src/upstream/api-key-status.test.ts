import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiKeyStatus } from './api-key-status.ts';
import { LIST_ID } from './subject.ts';

describe('ApiKeyStatus', () => {
  it('recovers from a 401 after any success, and from a 403 after a similar call', () => {
    const unknown = new ApiKeyStatus();
    unknown.recordRefusal('src_1', 401, 0);
    unknown.recordAccepted(LIST_ID);
    assert.deepEqual(unknown.status(1), { state: 'accepted' });
    const narrow = new ApiKeyStatus();
    narrow.recordRefusal('src_1', 403, 0);
    narrow.recordAccepted(LIST_ID);
    assert.equal(narrow.refusedForMs('src_1', 0), 0);
    narrow.recordAccepted('src_1');
    assert.deepEqual(narrow.status(1), { state: 'accepted' });
  });
});

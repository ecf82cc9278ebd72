import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createProgress } from './export.ts';

function written(isTTY: boolean): string {
  let text = '';
  const progress = createProgress({ isTTY, write: (part) => (text += part) });
  progress.at(1, 2, 'src_1');
  progress.print('src_1 failed');
  progress.at(2, 2, 'src_2');
  return text;
}

describe('createProgress()', () => {
  it('writes plain lines where nobody watches', () => {
    assert.equal(written(false), '[1/2] src_1\nsrc_1 failed\n[2/2] src_2\n');
  });

  it('writes over one line on a terminal, and leaves lines that matter', () => {
    assert.equal(written(true), '\r\u001B[K[1/2] src_1\r\u001B[Ksrc_1 failed\n\r\u001B[K[2/2] src_2');
  });
});

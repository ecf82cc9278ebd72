import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { doctorLine } from './doctor-line.ts';

describe('doctorLine()', () => {
  for (const [isReleased, command] of [
    [true, 'npx @pulse-card/doctor https://a.test/'],
    [false, 'npm run -s pulse-doctor -- https://a.test/'],
  ] as const) {
    it(`runs ${command}`, () => {
      const line = doctorLine('Run in a terminal: pulse-doctor https://a.test/', isReleased);
      assert.equal(line, `Run in a terminal: ${command}`);
    });
  }

  it('doesn’t change a line that only mentions pulse-doctor as a User-Agent', () => {
    const line = 'Allow the User-Agent "pulse-doctor" to load the page, or check a copy that doesn’t require a login';
    assert.equal(doctorLine(line, false), line);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplesIn } from './samples.ts';

describe('samplesIn()', () => {
  it('finds TypeScript, JavaScript and React, with their first lines', () => {
    const page = '# Page\n\n```js\nsetBaseUrl(1);\n```\n\n```tsx\n<A />;\n```\n\n```python\nx = 1\n```\n';
    assert.deepEqual(samplesIn(page), [
      { language: 'ts', code: 'setBaseUrl(1);\n', line: 4 },
      { language: 'tsx', code: '<A />;\n', line: 8 },
    ]);
  });

  it('finds scripts in HTML, with the types of the elements', () => {
    const [sample] = samplesIn('```html\n<p></p>\n<script type="module">\n  run();\n</script>\n```\n');
    assert.deepEqual(sample, { language: 'ts', code: "import '@pulse-card/widget';\n  run();\n", line: 3 });
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readManifest } from './manifest.ts';

describe('readManifest()', () => {
  it('finds the element among all modules', () => {
    const manifest = {
      modules: [
        {},
        { declarations: [{ tagName: 'other-card', attributes: [{ name: 'x' }] }] },
        {
          declarations: [
            {
              tagName: 'pulse-card',
              attributes: [
                { name: 'theme', type: { text: "'auto' | 'dark'" }, default: "'auto'", description: 'The colours' },
              ],
              cssProperties: [{ name: '--pulse-card-accent', default: '#3538cd' }],
            },
          ],
        },
      ],
    };
    assert.deepEqual(readManifest(manifest, 'pulse-card'), {
      attributes: [{ name: 'theme', type: "'auto' | 'dark'", preset: 'auto', description: 'The colours' }],
      properties: [{ name: '--pulse-card-accent', preset: '#3538cd', description: '' }],
    });
  });

  it('says nothing of an element that is not there', () => {
    assert.deepEqual(readManifest({ modules: [] }, 'pulse-card'), { attributes: [], properties: [] });
  });
});

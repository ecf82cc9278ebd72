import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { faultOf } from './check-templates.ts';

describe('faultOf()', () => {
  for (const text of [
    '<p><!></p>',
    '<p part="a" dir="<!>" .onclick="<!>"><!></p><!>',
    '<img src="<!>" alt="<!>" width="9"><!><!>',
    '<!>',
    '<a href="/a">a = <!></a>',
  ]) {
    it(`allows ${text}`, () => assert.equal(faultOf(text), undefined));
  }

  for (const text of [
    '<p dir=<!>></p>',
    '<p class="a <!>"></p>',
    '<p class="<!> a"></p>',
    '<p @click="<!>"></p>',
    '<p ?open="<!>"></p>',
    '<p .sourceId="<!>"></p>',
    '<p <!>></p>',
    '<<!>></p>'.replace('<<', '<p<'),
    '<style><!></style>',
  ]) {
    it(`refuses ${text}`, () => assert.ok(faultOf(text)));
  }
});

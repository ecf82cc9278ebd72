import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { html, nothing } from 'lit/html.js';
import { htmlText } from './html-text.ts';

describe('htmlText()', () => {
  it('escapes contents and attributes', () => {
    const hostile = `</p><script>"'&`;
    assert.equal(
      htmlText(html`<p title="${hostile}">${hostile}</p>`),
      '<p title="&#60;/p&#62;&#60;script&#62;&#34;&#39;&#38;">&#60;/p&#62;&#60;script&#62;&#34;&#39;&#38;</p>',
    );
  });

  it('writes templates in templates, lists, numbers and nothing', () => {
    const absent = [null, undefined, ''];
    const list = [1, 2].map((at) => html`<li>${at}</li>`);
    assert.equal(
      htmlText(
        html`<ul>
          ${list}${nothing}${absent}
        </ul>`,
      ),
      '<ul><li>1</li><li>2</li></ul>',
    );
  });

  it('leaves out attributes without a value, and keeps those that are false', () => {
    const busy = false;
    assert.equal(htmlText(html`<p dir="${nothing}" aria-busy="${busy}"></p>`), '<p aria-busy="false"></p>');
  });

  it('leaves out listeners, and writes properties that are true', () => {
    const act = (): void => {};
    assert.equal(htmlText(html`<details .open="${true}" .ontoggle="${act}"></details>`), '<details open></details>');
    assert.equal(htmlText(html`<details .open="${false}"></details>`), '<details></details>');
  });

  it('leaves out the white space between elements alone', () => {
    const name = 'x';
    assert.equal(
      htmlText(html`
        <p>${name}</p>
        <p part="a" class="b">a b</p>
      `),
      '<p>x</p><p part="a" class="b">a b</p>',
    );
  });

  for (const forged of [{ strings: ['<b></b>'], values: [] }, { strings: { raw: 1 } }, () => {}, true]) {
    it(`takes ${typeof forged === 'object' ? JSON.stringify(forged) : typeof forged} for no template`, () => {
      assert.throws(() => htmlText(forged), TypeError);
    });
  }
});

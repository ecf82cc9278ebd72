import { expect } from '@open-wc/testing';
import { html, nothing, render } from '../lit-subset.ts';

function shown(...values: readonly unknown[]): HTMLElement {
  const root = document.createElement('div');
  for (const value of values) render(value, root);
  return root;
}

describe('render()', () => {
  it('shows text as text, whatever it says', () => {
    const view = (title: string, text: string) => html`<p title="${title}">${text}</p>`;
    const root = shown(view('"><b>', '<b>&amp;</b>'));
    expect(root.querySelector('b')).to.equal(null);
    expect(root.textContent).to.equal('<b>&amp;</b>');
    expect(root.querySelector('p')?.title).to.equal('"><b>');
  });

  it('takes nothing for a template but a template', () => {
    const forged: unknown = { strings: ['<b></b>'], values: [], _$litType$: 1 };
    expect(shown(html`<p>${forged}</p>`).querySelector('b')).to.equal(null);
  });

  it('shows nothing for null, undefined and the empty text', () => {
    for (const value of [null, undefined, '', nothing])
      expect(shown(html`<p>a${value}b</p>`).textContent).to.equal('ab');
  });

  it('takes an attribute away that has no value any more, and sets it again', () => {
    const view = (dir: unknown) => html`<p dir="${dir}"></p>`;
    expect(shown(view('rtl')).innerHTML).to.contain('dir="rtl"');
    expect(shown(view('rtl'), view(nothing)).innerHTML).not.to.contain('dir');
    expect(shown(view('rtl'), view(nothing), view('ltr')).innerHTML).to.contain('dir="ltr"');
  });

  it('keeps elements and what stands around a content', () => {
    const view = (first: unknown, second: unknown) => html`<i>1</i>${first}${second}<i>2</i>`;
    const root = shown(view('a', html`<b></b>`));
    const kept = root.querySelector('b');
    render(view(['a', html`<u>c</u>`], 'd'), root);
    expect(kept?.isConnected).to.equal(false);
    expect(root.textContent).to.equal('1acd2');
    render(view('', [html`<b>e</b>`, 'f']), root);
    expect(root.textContent).to.equal('1ef2');
  });

  it('goes on where something else took a node of it away', () => {
    const view = (content: unknown) => html`<p><i></i>${content}</p>`;
    const root = shown(view('a'));
    root.querySelector('i')?.remove();
    render(view(html`<b>b</b>`), root);
    expect(root.textContent).to.equal('b');
  });

  it('keeps the items of a list in their places while it grows and shrinks', () => {
    const view = (...items: readonly string[]) =>
      html`<ul>
        ${items.map((item) => html`<li>${item}</li>`)}
      </ul>`;
    const root = shown(view('a', 'b'));
    const first = root.querySelector('li');
    render(view('c', 'd', 'e'), root);
    expect(root.textContent.trim()).to.equal('cde');
    render(view('f'), root);
    expect(root.textContent.trim()).to.equal('f');
    expect(root.querySelectorAll('li')).to.have.length(1);
    expect(root.querySelector('li')).to.equal(first);
  });

  it('touches nothing where nothing changed', () => {
    const view = (dir: string, text: string) => html`<p dir="${dir}">${text}${['b', html`<b>c</b>`]}</p>`;
    const root = shown(view('ltr', 'a'));
    const observer = new MutationObserver(() => undefined);
    observer.observe(root, { attributes: true, characterData: true, childList: true, subtree: true });
    render(view('ltr', 'a'), root);
    expect(observer.takeRecords()).to.have.length(0);
  });

  it('gives an element all it needs before the page sees it', () => {
    let facts = '';
    customElements.define(
      'x-told',
      class extends HTMLElement {
        connectedCallback(): void {
          facts = `${this.getAttribute('told')} ${this.textContent}`;
        }
      },
    );
    const view = (fact: string) => html`<x-told told="${fact}">${fact}</x-told>`;
    const root = shown(view('yes'));
    document.body.append(root);
    expect(facts).to.equal('yes yes');
    root.remove();
  });

  it('listens by property, and to the latest listener alone', () => {
    const heard: number[] = [];
    const view = (at: number) => html`<button .onclick="${() => heard.push(at)}"></button>`;
    shown(view(1), view(2)).querySelector('button')?.click();
    expect(heard).to.deep.equal([2]);
  });
});

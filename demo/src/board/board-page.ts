import { boardSnippetFor, type BoardSnippetOptions } from '@pulse-card/widget/snippet';
import { html, nothing, render, type TemplateResult } from 'lit';
import { copySnippet } from '../preview/copy-snippet.ts';
import { snippetView } from '../preview/stage-view.ts';
import { BFF_URL } from '../shell/bff-url.ts';

const COLUMNS = [undefined, 1, 2, 3, 4] as const;
const VARIANTS = ['card', 'compact', 'chart', 'text'] as const;

/** How long the button says that the snippet was copied. */
const COPIED_FOR_MS = 2_000;

const main = document.querySelector<HTMLElement>('#main')!;

let shown: Pick<BoardSnippetOptions, 'columns' | 'variant'> = {};
let copied = false;

update();

function update(): void {
  const { columns, variant } = shown;
  const snippet = boardSnippetFor({ ...shown, baseUrl: BFF_URL });
  render(
    html`
      <h1>Every source on one board</h1>
      <p class="lead">
        What the service lists for the demo account, the source that changed last first: ten at most. The list is one
        request, all its cards are another.
      </p>
      <div class="choices">
        ${choiceView(
          'Columns',
          COLUMNS,
          columns,
          (count) => String(count ?? 'As fit'),
          (chosen) => show({ columns: chosen }),
        )}
        ${choiceView('Variant', VARIANTS, variant ?? 'card', String, (chosen) => show({ variant: chosen }))}
      </div>
      <pulse-board heading-level="2" columns=${columns ?? nothing} variant=${variant ?? nothing}></pulse-board>
      ${snippetView(snippet, { copied, copy: () => void copy(snippet) })}
    `,
    main,
  );
}

function choiceView<Value>(
  title: string,
  values: readonly Value[],
  chosen: Value,
  wordFor: (value: Value) => string,
  choose: (value: Value) => void,
): TemplateResult {
  return html`<div role="radiogroup" aria-label=${title}>
    <p class="name" aria-hidden="true">${title}</p>
    <div class="segments">
      ${values.map((value) => html`<label><input type="radio" name=${title} .checked=${value === chosen} @change=${() => choose(value)} /><span>${wordFor(value)}</span></label>`)}
    </div>
  </div>`;
}

function show(change: typeof shown): void {
  shown = { ...shown, ...change };
  update();
}

async function copy(snippet: string): Promise<void> {
  copied = await copySnippet(snippet, main.querySelector('.snippet'));
  update();
  setTimeout(() => {
    copied = false;
    update();
  }, COPIED_FOR_MS);
}

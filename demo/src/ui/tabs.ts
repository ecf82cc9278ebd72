import { html, type TemplateResult } from 'lit';

/** A row of tabs above one panel. */
export interface TabsOptions<Id extends string> {
  /** The purpose of the tabs, and the prefix of their ids. */
  readonly label: string;
  readonly tabs: readonly { readonly id: Id; readonly title: string }[];
  readonly current: Id;
  readonly onSelect: (id: Id) => void;
}

/** Tabs that follow the ARIA pattern: one tab stop, arrow keys, Home, and End. `panelAttributes` is for the panel. */
export function tabs<Id extends string>({ label, tabs: list, current, onSelect }: TabsOptions<Id>): TemplateResult {
  const onKey = (event: KeyboardEvent) => {
    const next = nextIndex(
      event.key,
      list.findIndex(({ id }) => id === current),
      list.length,
    );
    const tab = list[next ?? -1];
    if (!tab) return;
    event.preventDefault();
    onSelect(tab.id);
    document.getElementById(tabId(label, tab.id))?.focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${label} @keydown=${onKey}>
    ${list.map(
      ({ id, title }) =>
        html`<button
          type="button"
          role="tab"
          id=${tabId(label, id)}
          aria-selected=${id === current}
          aria-controls=${panelId(label)}
          tabindex=${id === current ? 0 : -1}
          @click=${() => onSelect(id)}
        >
          ${title}
        </button>`,
    )}
  </div>`;
}

/** The id of a tab's button. */
export function tabId(label: string, id: string): string {
  return `tab-${slug(label)}-${id}`;
}

/** The id of the panel that the tabs control. The current tab labels the panel. */
export function panelId(label: string): string {
  return `panel-${slug(label)}`;
}

function nextIndex(key: string, index: number, count: number): number | undefined {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (step !== undefined) return (index + step + count) % count;
  return { Home: 0, End: count - 1 }[key];
}

function slug(label: string): string {
  return label.toLowerCase().replaceAll(/\W+/g, '-');
}

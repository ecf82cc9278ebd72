import { render, type TemplateResult } from 'lit/html.js';

/** Attributes and what stands for each that is not there; the type of that is the type of its property. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/**
 * An element whose state is its attributes and whose shadow is a template, rendered once a microtask. It stands in for
 * LitElement, whose reactive properties weigh 2.4 kB: a quarter of what the whole card may.
 */
export abstract class CardElement extends HTMLElement {
  /** What a server rendered; it stays until there is something to take its place. */
  protected served: ShadowRoot | null = this.shadowRoot;
  readonly #root = this.served ?? this.attachShadow({ mode: 'open' });
  #update: Promise<void> | undefined;

  constructor(styleSheet: CSSStyleSheet) {
    super();
    this.#root.adoptedStyleSheets = [styleSheet];
  }

  /** The template of what is to be seen now; undefined where what a server rendered is to stay. */
  protected abstract view(): TemplateResult | undefined;

  /** Resolves when all that was changed so far is to be seen. */
  get updateComplete(): Promise<void> {
    return this.#update ?? Promise.resolve();
  }

  /** Renders soon, once for all changes of this task. */
  requestUpdate(): void {
    this.#update ??= Promise.resolve().then(() => {
      this.#update = undefined;
      const root = this.#root;
      const focused = root.activeElement;
      const view = this.view();
      if (view) render(view, root);
      // What was pressed may be gone: the next key still belongs here.
      if (focused && !focused.isConnected)
        (
          root.querySelector<HTMLElement>(`[part="${focused.part.value}"]`) ?? (root.firstElementChild as HTMLElement)
        ).focus();
    });
  }

  /** Takes over what was set before the element was defined. */
  protected upgrade(names: Iterable<string>): void {
    const own = this as unknown as Record<string, unknown>;
    for (const name of names) {
      if (!Object.hasOwn(own, name)) continue;
      const value = own[name];
      delete own[name];
      own[name] = value;
    }
  }
}

/** The property that reflects the attribute `name`: `source-id` is `sourceId`. */
export function propertyOf(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Gives `element` a property for each attribute, which reads and writes it as the platform's own do; these are their names. */
export function reflect(element: HTMLElement, attributes: Attributes): string[] {
  for (const [name, fallback] of Object.entries(attributes)) {
    Object.defineProperty(element, propertyOf(name), {
      get(this: HTMLElement) {
        const value = this.getAttribute(name);
        if (fallback === false) return value !== null;
        return value === null ? fallback : typeof fallback === 'number' ? Number(value) : value;
      },
      set(this: HTMLElement, value: string | number | boolean | null | undefined) {
        if (fallback === false) this.toggleAttribute(name, !!value);
        else if (value === null || value === undefined) this.removeAttribute(name);
        else this.setAttribute(name, String(value));
      },
    });
  }
  return [...Object.keys(attributes), 'token'];
}

import { escapeHtml } from '../escape-html.ts';

/** What `html` of Lit makes, wherever it runs. */
interface Template {
  readonly strings: TemplateStringsArray;
  readonly values: readonly unknown[];
}

/** Where a value goes: an attribute (`name="`), a property (`.name="`), else content. */
const ATTRIBUTE = /\s(\.?)([a-z-]+)="$/;

const squeezed = new WeakMap<TemplateStringsArray, readonly string[]>();

/**
 * A template of ours as text: contents and attributes escaped; of properties those that are true, as attributes. Listeners
 * are left out, and so is the white space that the build leaves out too. It knows the bindings that `check-templates.ts`
 * lets through and throws at any other.
 */
export function htmlText(value: unknown): string {
  if (Array.isArray(value)) return value.map(htmlText).join('');
  if (isTemplate(value)) return templateText(value);
  if (value === null || value === undefined || typeof value === 'symbol') return '';
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  throw new TypeError(`Cannot render a value as HTML: it is a ${typeof value}`);
}

function templateText({ strings, values }: Template): string {
  const texts = squeezed.get(strings) ?? strings.map(squeeze);
  squeezed.set(strings, texts);
  let text = '';
  let isInQuotes = false;
  for (const [at, value] of values.entries()) {
    text += isInQuotes ? texts[at]?.slice(1) : texts[at];
    const [whole, dot, name] = ATTRIBUTE.exec(text) ?? [];
    isInQuotes = whole !== undefined && name !== undefined;
    if (!isInQuotes) text += htmlText(value);
    else text = text.slice(0, -(whole ?? '').length) + (dot ? propertyText(name, value) : attributeText(name, value));
  }
  return text + (isInQuotes ? texts.at(-1)?.slice(1) : texts.at(-1));
}

function attributeText(name = '', value: unknown): string {
  if (value === null || value === undefined || typeof value === 'symbol') return '';
  return ` ${name}="${typeof value === 'boolean' ? value : htmlText(value)}"`;
}

function propertyText(name = '', value: unknown): string {
  return value === true ? ` ${name}` : '';
}

/** Nothing out of an answer can pass for a template: JSON has no arrays with a property. */
function isTemplate(value: unknown): value is Template {
  return typeof value === 'object' && value !== null && Object.hasOwn((value as Template).strings ?? {}, 'raw');
}

function squeeze(text: string): string {
  return text
    .replace(/\s*\n\s*(?=[<>]|\/>|$)|((?<=>)|^)\s*\n\s*/g, '')
    .replace(/\s+/g, ' ')
    .replace(/ \/>/g, '>');
}

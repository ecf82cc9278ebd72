import { nothing } from 'lit';

/** The HTML of a template. Only tests are allowed to build HTML from strings. */
export function htmlOf(view: unknown): string {
  if (view === undefined || view === '') return '';
  if (Array.isArray(view)) return view.map(htmlOf).join('');
  if (typeof view === 'string') return view.replaceAll('<', '&lt;');
  const { strings, values } = view as { strings: readonly string[]; values: readonly unknown[] };
  return strings
    .map((written, at) => {
      const text = written.replaceAll(/\s*\n\s*/g, '');
      if (!text.endsWith('=')) return text + htmlOf(values[at] ?? '');
      return values[at] === nothing ? text.replace(/ \w+=$/, '') : text + JSON.stringify(String(values[at]));
    })
    .join('');
}

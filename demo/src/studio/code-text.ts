/** Attributes by name. An attribute with an empty value is written without the value. */
export type Attributes = readonly (readonly [name: string, value: string])[];

export function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

export function withoutNames(attributes: Attributes, names: readonly string[]): Attributes {
  return attributes.filter(([name]) => !names.includes(name));
}

export function attributesText(attributes: Attributes): string {
  return attributes.map((attribute) => ` ${attributeText(attribute)}`).join('');
}

export function attributeText([name, value]: readonly [string, string]): string {
  return value === '' ? name : `${name}="${escaped(value)}"`;
}

/** Svelte reads braces as an expression, even in attributes. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('{', '&#123;');
}

/** JSX doesn't support escapes in a string attribute, so unusual texts are written in braces. */
export function jsxText(text: string): string {
  return /^[^"&{}<>\\]*$/.test(text) ? `"${text}"` : `{${quoted(text)}}`;
}

export function quoted(text: string): string {
  return `'${text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", String.raw`\'`)
    .replaceAll('</', String.raw`<\/`)}'`;
}

export function camelCase(property: string): string {
  return property.startsWith('--')
    ? property
    : property.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function trimmed(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
}

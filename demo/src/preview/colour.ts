/**
 * The colour that a value starts from, as a colour field wants it (`#rrggbb`), in the scheme that is shown; undefined
 * where the value is no colour. A default may name two: `light-dark(#fff, #161a23)`.
 */
export function hexOf(value: string, scheme: 'light' | 'dark'): string | undefined {
  const colours = value.match(/#[0-9a-f]{3,8}\b/gi);
  const colour = scheme === 'dark' ? colours?.at(-1) : colours?.at(0);
  if (colour === undefined) return undefined;
  const digits = colour.length < 6 ? colour.slice(1, 4).replaceAll(/./g, '$&$&') : colour.slice(1, 7);
  return `#${digits.toLowerCase()}`;
}

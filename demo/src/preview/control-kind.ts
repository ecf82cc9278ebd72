/** How a value is chosen: on or off, one of a few, or freely. */
export type ControlKind =
  | { readonly kind: 'switch' }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'text' };

/** The control that fits a TypeScript type (`boolean`, `'a' | 'b'`, `2 | 3`, `string`). */
export function controlKind(type: string): ControlKind {
  const members = type
    .split('|')
    .map((member) => member.trim())
    .filter((member) => member !== 'undefined' && member !== 'null' && member !== '');
  if (members.length > 0 && members.every((member) => member === 'boolean')) return { kind: 'switch' };
  const values = members
    .map((member) => /^(?:'([^']*)'|"([^"]*)"|(\d+))$/.exec(member))
    .map((match) => match?.[1] ?? match?.[2] ?? match?.[3]);
  const known = values.filter((value) => value !== undefined);
  return known.length > 1 && known.length === values.length ? { kind: 'choice', values: known } : { kind: 'text' };
}

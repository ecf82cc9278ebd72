import { storedText, storeText } from '../shell/stored-text.ts';

/** A look with a name that its owner chose. */
export interface NamedLook {
  readonly name: string;
  /** The look in the format of `lookQueryOf()`. */
  readonly query: string;
}

/** The maximum number of characters in a look's name. */
export const MAX_LOOK_NAME = 40;

const KEY = 'pulse-studio-looks';

/** The saved looks in a stored string; empty if the string is invalid. */
export function namedLooksIn(text: string | null): readonly NamedLook[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter(isNamedLook) : [];
  } catch {
    return [];
  }
}

function isNamedLook(value: unknown): value is NamedLook {
  const { name, query } = Object(value) as Partial<NamedLook>;
  return typeof name === 'string' && name !== '' && typeof query === 'string';
}

/** Adds a look, or replaces the look with the same name. The result is sorted by name. */
export function withNamedLook(looks: readonly NamedLook[], { name, query }: NamedLook): readonly NamedLook[] {
  const named = { name: name.slice(0, MAX_LOOK_NAME), query };
  return [...withoutNamedLook(looks, named.name), named].toSorted((a, b) => a.name.localeCompare(b.name));
}

/** Removes the look with this name. */
export function withoutNamedLook(looks: readonly NamedLook[], name: string): readonly NamedLook[] {
  return looks.filter((look) => look.name !== name);
}

/** Renames a look. A look that already has the new name is replaced. */
export function withRenamedLook(looks: readonly NamedLook[], from: string, to: string): readonly NamedLook[] {
  const look = looks.find(({ name }) => name === from);
  return look ? withNamedLook(withoutNamedLook(looks, from), { ...look, name: to }) : looks;
}

/** The looks that are saved in this browser. */
export function storedLooks(): readonly NamedLook[] {
  return namedLooksIn(storedText(KEY));
}

/** Saves these looks in this browser. */
export function storeLooks(looks: readonly NamedLook[]): void {
  storeText(KEY, JSON.stringify(looks));
}

import type { Rolldown } from 'vite';

/** The short names that a build has given to internal members. */
export type ShortNames = NonNullable<Rolldown.RolldownOutput['mangleCache']>;

/**
 * How a script is minified. As in Lit's own build, `_` begins the name of each internal member, which the minifier
 * shortens. `known` are the names from other files that share objects with the script. Names with `_$` stay, because
 * other versions of the script use them, too.
 */
export function minifyWith(known: ShortNames): Rolldown.OutputOptions['minify'] {
  return { compress: { treeshake: { propertyReadSideEffects: false } }, mangle: true, codegen: true, mangleProps: { include: /^_[a-z]/, cache: known } };
}

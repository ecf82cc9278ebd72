import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Rolldown } from 'vite';

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));

/** Matches the name of an internal member, but not the name of a custom property. */
const INTERNAL = /(?<![\w$-])_[a-z]\w*/g;

/**
 * A short name for each internal member. The three files that a page loads share objects, so they must use the same
 * names. Short names also begin with `_`, so that they never shadow a property that a page sets on an element.
 */
const SHORT_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  [...internalNames()].toSorted().map((name, index) => [name, `_${index.toString(36)}`]),
);

/**
 * How scripts are minified. As in Lit's own build, the names of internal members begin with `_`, and the minifier
 * shortens them. Names with `_$` are kept, because other versions of the script use them, too.
 */
export const MINIFY: Rolldown.MinifyOptions = {
  // No getter has side effects.
  compress: { treeshake: { propertyReadSideEffects: false } },
  mangle: true,
  codegen: true,
  mangleProps: { include: /^_[a-z]/, cache: SHORT_NAMES },
};

/** Constants are inlined, including those imported from other modules and those computed from other constants. */
export const OPTIMIZATION: NonNullable<Rolldown.InputOptions['optimization']> = {
  inlineConst: { mode: 'all', pass: 2 },
};

function internalNames(): Set<string> {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  const shipped = files.filter((file) => /(?<!\.test|\.browser)\.ts$/.test(file));
  return new Set(shipped.flatMap((file) => readFileSync(SOURCES + file, 'utf8').match(INTERNAL) ?? []));
}

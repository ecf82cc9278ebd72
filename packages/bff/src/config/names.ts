import { closestMatch } from 'leven';

/** This product's variables that the service and `npm start` read but the BFF doesn't. */
const OTHER_VARIABLES: ReadonlySet<string> = new Set([
  'PULSE_ADMIN_URL',
  'PULSE_BFF_PORT',
  'PULSE_DATA_DIR',
  'PULSE_DEMO_PORT',
  'PULSE_SERVICE_ALT_PORT',
  'PULSE_SERVICE_PORT',
]);

/**
 * Variables without `PULSE_` that are checked for misspellings. Other programs also use names like `HOST` and `PORT`.
 */
const BARE_NAMES = ['REDIS_URL', 'REDIS_URL_FILE', 'TRUST_PROXY', 'LOG_LEVEL'];

/**
 * One line for each `PULSE_` variable that isn't `known`, and for each name that nearly matches an
 * unset one. The lines contain no values.
 */
export function unknownVariableWarnings(given: readonly string[], known: readonly string[]): string[] {
  return given.flatMap((name) => {
    if (known.includes(name) || OTHER_VARIABLES.has(name)) return [];
    const isOurs = name.startsWith('PULSE_');
    const nearest = isOurs ? nearestOf(name, known) : nearMissOf(name, known);
    if (nearest === undefined || (!isOurs && isSet(nearest, given))) return [];
    return [`${name} isn’t a variable of pulse-bff; did you mean ${nearest}?`];
  });
}

/** The nearest variable. If none is similar, the first one that contains these words is nearer than any other. */
function nearestOf(name: string, known: readonly string[]): string | undefined {
  const bare = name.replace('PULSE_', '');
  if (known.includes(bare)) return bare;
  const near = closestMatch(name, known, { maxDistance: Math.floor(bare.length / 2) });
  return near ?? known.find((each) => each.includes(`_${bare}`)) ?? closestMatch(name, known);
}

function isSet(name: string, given: readonly string[]): boolean {
  return [name, `${name}_FILE`, name.replace(/_FILE$/, '')].some((each) => given.includes(each));
}

/** The variable that was probably meant by a name without `PULSE_`. */
function nearMissOf(name: string, known: readonly string[]): string | undefined {
  const upper = name.toUpperCase();
  if (!/^[A-Z]+_?[A-Z_]+$/.test(upper)) return undefined;
  // A single word such as `SOURCES` or `HOST` is too common, because other programs use names like these.
  const same = [upper, `PULSE_${upper}`].find((each) => upper.includes('_') && known.includes(each));
  if (same !== undefined) return same;
  const singular = upper.replace(/^TRUSTED/, 'TRUST').replace(/IES$/, 'Y');
  return BARE_NAMES.find((bare) => closestMatch(singular, [bare], { maxDistance: Math.round(bare.length / 4) }));
}

/** Units and their lengths in seconds. A duration is at least two units long, so that rounding errors stay small. */
const UNITS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/**
 * The time from `iso` (an ISO time) to `now` (milliseconds since the Unix epoch) in words. Times less than a minute ago
 * are "now", and so are times up to 5 minutes in the future, because clocks differ. Later times are dates in `format`.
 */
export function relativeTime(
  iso: string,
  language: string,
  now: number,
  format: Intl.DateTimeFormatOptions = { dateStyle: 'medium' },
): string {
  const seconds = (now - Date.parse(iso)) / 1_000;
  if (seconds < -300) return absoluteTime(iso, language, format);
  if (seconds < 60) return formatterOf(Intl.RelativeTimeFormat, language, { numeric: 'auto' }).format(0, 'second');
  const [unit, length] = UNITS.find(([, of]) => seconds >= 2 * of) ?? ['minute', 60];
  return formatterOf(Intl.RelativeTimeFormat, language, {}).format(-Math.floor(seconds / length), unit);
}

/** The date and time of `iso` in words, in the reader's time zone unless `format` specifies a different one. */
export function absoluteTime(
  iso: string,
  language: string,
  format: Intl.DateTimeFormatOptions = { dateStyle: 'long', timeStyle: 'short' },
): string {
  return formatterOf(Intl.DateTimeFormat, language, format).format(new Date(iso));
}

/** Formatters are costly to create, so all cards share them. */
const formatters = new Map<string, unknown>();

/** A formatter, such as an `Intl.DateTimeFormat`, for a language and options. */
function formatterOf<Options, Formatter>(
  Kind: new (language: string, options: Options) => Formatter,
  language: string,
  options: Options,
): Formatter {
  const key = Kind.name + language + JSON.stringify(options);
  const formatter = (formatters.get(key) as Formatter | undefined) ?? new Kind(language, options);
  formatters.set(key, formatter);
  return formatter;
}

/** Units, and from how many seconds on each is used. */
const UNITS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** How long before `now` (milliseconds since 1970) the ISO time `iso` was, in words; a time in the future is now. */
export function relativeTime(iso: string, language: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1_000);
  const [unit, length] = UNITS.find(([, from]) => seconds >= from) ?? ['second', Infinity];
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-Math.floor(seconds / length), unit);
}

/** The date and time of `iso` in words, in the reader's time zone unless `format` names another. */
export function absoluteTime(
  iso: string,
  language: string,
  format: Intl.DateTimeFormatOptions = { dateStyle: 'long', timeStyle: 'short' },
): string {
  return new Intl.DateTimeFormat(language, format).format(new Date(iso));
}

const monthYearFormat = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const dayFormat = new Intl.DateTimeFormat('en-US', { month: 'long', day: 'numeric', timeZone: 'UTC' });
const monthFormat = new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' });

/** Writes an ISO date as month and year ("December 2015"). */
export function monthYear(isoDate: string): string {
  return monthYearFormat.format(new Date(isoDate));
}

/** Writes an ISO date as month and day ("November 14"). */
export function monthDay(isoDate: string): string {
  return dayFormat.format(new Date(isoDate));
}

/** Names a month by its number, from 1 to 12. */
export function monthName(month: number): string {
  return monthFormat.format(Date.UTC(2000, month - 1));
}

const HOUR_MS = 3_600_000;

/** The time a given number of hours before `now`, in the service's format. */
export function hoursBefore(now: Date, hours: number): string {
  return new Date(now.getTime() - hours * HOUR_MS).toISOString();
}

const HOUR_MS = 3_600_000;

/** Writes the moment that lies so many hours before `now`, as the service writes moments. */
export function hoursBefore(now: Date, hours: number): string {
  return new Date(now.getTime() - hours * HOUR_MS).toISOString();
}

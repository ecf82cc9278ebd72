/** An event of the card, as the log shows it. */
export interface LoggedEvent {
  readonly at: Date;
  readonly type: string;
  readonly detail: string;
}

const TYPES = ['pulse-load', 'pulse-update', 'pulse-error', 'pulse-toggle'] as const;

/** Most events that are kept. */
const KEPT = 6;

/** Writes down what the cards inside `root` say; `changed` gets the last few, the latest first. */
export function logEvents(root: EventTarget, changed: (events: readonly LoggedEvent[]) => void): void {
  let events: LoggedEvent[] = [];
  for (const type of TYPES) {
    root.addEventListener(type, (event) => {
      events = [{ at: new Date(), type, detail: shortened((event as CustomEvent<unknown>).detail) }, ...events].slice(
        0,
        KEPT,
      );
      changed(events);
    });
  }
}

/** The detail without the pulses in it, which would fill the page. */
function shortened(detail: unknown): string {
  return JSON.stringify(detail, (_, value: unknown) =>
    typeof value === 'object' && value !== null && 'jobRunId' in value ? `pulse ${String(value.jobRunId)}` : value,
  );
}

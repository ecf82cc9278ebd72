import { constants } from 'node:os';
import { isatty } from 'node:tty';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Exits on a signal until a command installs its own signal handlers. */
let act = (signal: (typeof STOP_SIGNALS)[number]): void => process.exit(128 + constants.signals[signal]);

/** Whether a terminal is attached. When the terminal closes, the process stops. */
const hasTerminal = [0, 1, 2].some((fd) => isatty(fd));

/** Listens for signals. Without listeners, PID 1 would ignore them. */
export function listenToSignals(): void {
  // The listeners are never replaced, because a signal that arrived in between would be lost.
  for (const signal of STOP_SIGNALS) process.on(signal, () => act(signal));
}

/**
 * Passes signals to a command, which then ends the process itself. `reload`: called on SIGHUP, if no terminal is
 * attached.
 */
export function onSignals({ stop, reload }: { readonly stop: () => void; readonly reload?: () => void }): void {
  act = (signal) => (signal === 'SIGHUP' && !hasTerminal && reload ? reload() : stop());
}

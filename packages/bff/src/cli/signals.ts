import { constants } from 'node:os';
import { isatty } from 'node:tty';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Whether a person's terminal is attached, whose end stops the process. */
const HAS_TERMINAL = [0, 1, 2].some((fd) => isatty(fd));

/** Whether SIGHUP doesn't stop a command: a server without a terminal reads its files again instead. */
export function survivesHangup([command = 'serve']: readonly string[]): boolean {
  return command === 'serve' && !HAS_TERMINAL;
}

/** Ends the process at each signal, until a command takes over. Process 1 would otherwise ignore signals. */
export function endAtSignals({ survivesHangup: survives = false } = {}): void {
  for (const signal of STOP_SIGNALS)
    process.on(signal, () => {
      if (signal !== 'SIGHUP' || !survives) process.exit(128 + constants.signals[signal]);
    });
}

/** Passes the signals to a command, which ends the process itself. */
export function onSignals({ stop, reload }: { readonly stop: () => void; readonly reload?: () => void }): void {
  for (const signal of STOP_SIGNALS) {
    process.removeAllListeners(signal);
    process.on(signal, signal === 'SIGHUP' && !HAS_TERMINAL && reload ? reload : stop);
  }
}

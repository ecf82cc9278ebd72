/** Where progress is told. */
export interface Screen {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Tells how far something is. */
export interface Progress {
  /** So much of all is done; on a terminal in one line that is written over. */
  at(done: number, all: number, what: string): void;
  /** A line that stays. */
  say(line: string): void;
}

const CLEAR_LINE = '\r\u001B[K';

/** Tells progress on a terminal in one line, elsewhere in plain lines. */
export function createProgress(screen: Screen): Progress {
  const isTerminal = screen.isTTY === true;
  return {
    at(done, all, what) {
      const text = `[${done}/${all}] ${what}`;
      screen.write(isTerminal ? `${CLEAR_LINE}${text}` : `${text}\n`);
    },
    say: (line) => void screen.write(isTerminal ? `${CLEAR_LINE}${line}\n` : `${line}\n`),
  };
}

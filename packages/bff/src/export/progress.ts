/** Where progress is told. */
export interface Output {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Tells how far something is. */
export interface Progress {
  /** So much of all is done; on a terminal in one line that is written over. */
  at(done: number, all: number, what: string): void;
  /** A line that stays. */
  print(line: string): void;
}

const CLEAR_LINE = '\r\u001B[K';

/** Tells progress on a terminal in one line, elsewhere in plain lines. */
export function createProgress(output: Output): Progress {
  const isTerminal = output.isTTY === true;
  return {
    at(done, all, what) {
      const text = `[${done}/${all}] ${what}`;
      output.write(isTerminal ? `${CLEAR_LINE}${text}` : `${text}\n`);
    },
    print: (line) => void output.write(isTerminal ? `${CLEAR_LINE}${line}\n` : `${line}\n`),
  };
}

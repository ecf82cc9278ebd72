/** Where progress is written. */
export interface Output {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Shows the progress of a long command. */
export interface Progress {
  /** Shows that `done` of `all` are done; on a terminal in one line that is overwritten. */
  at(done: number, all: number, what: string): void;
  /** A line that stays. */
  print(line: string): void;
}

const CLEAR_LINE = '\r\u001B[K';

/** Shows progress in one line on a terminal, elsewhere in plain lines. */
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

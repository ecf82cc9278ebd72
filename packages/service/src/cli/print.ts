/** Prints a command's output. */
export interface Output {
  /** Prints a line for scripts to read. */
  result(line: string): void;
  /** Prints a line for people. */
  note(line: string): void;
}

/** Prints results to standard output and notes to standard error. */
export const processOutput: Output = {
  result: (line) => void process.stdout.write(`${line}\n`),
  note: (line) => void process.stderr.write(`${line}\n`),
};

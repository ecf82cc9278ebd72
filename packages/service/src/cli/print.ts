/** Writes a line to standard output, for scripts to read. */
export function printResult(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Writes a line to standard error, for people. */
export function printNote(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Says on a terminal's last line, or now and then in a plain one, how far something is. */
export function progress(title: string, totalMs: number): { say(state: string): void; end(state: string): void } {
  const startedAt = performance.now();
  const isTerminal = process.stdout.isTTY;
  // Plain output, as in a log file, gets a line every half a minute.
  const everyMs = isTerminal ? 500 : 30_000;
  let saidAt = -Infinity;
  const line = (state: string) => {
    const seconds = (performance.now() - startedAt) / 1000;
    return `  ${title}: ${seconds.toFixed(0)} of ${(totalMs / 1000).toFixed(0)} s, ${state}`;
  };
  return {
    say: (state) => {
      if (performance.now() - saidAt < everyMs) return;
      saidAt = performance.now();
      if (isTerminal) process.stdout.write(`\r\x1b[K${line(state)}`);
      else console.log(line(state));
    },
    end: (state) => console.log(`${isTerminal ? '\r\x1b[K' : ''}  ${title}: ${state}`),
  };
}

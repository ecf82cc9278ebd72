import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { until } from './until.ts';

const PRELOAD = pathToFileURL(join(import.meta.dirname, 'pushed-clock.ts')).href;

/** The clock of a server process. */
export interface ClockControl {
  /** The process's variables. */
  readonly env: Readonly<Record<string, string>>;
  /** The time in the process, in ms since 1970. */
  readonly now: () => number;
  /** Makes this much time pass in the process, within about two seconds of real time. Resolves once it has passed. */
  readonly push: (ms: number) => Promise<void>;
}

/** Controls a process's clock through files in `folder`. `speed`: how fast its time passes. */
export function clockControl(folder: string, speed = 1): ClockControl {
  const file = join(folder, 'clock');
  writeFileSync(file, '0');
  let pushedMs = 0;
  const from = Date.now();
  return {
    env: {
      NODE_OPTIONS: `--import=${PRELOAD}`,
      CLOCK_FILE: file,
      CLOCK_SPEED: String(speed),
      CLOCK_FROM: String(from),
    },
    now: () => from + (Date.now() - from) * speed + pushedMs,
    async push(ms) {
      pushedMs += ms;
      writeFileSync(file, String(pushedMs));
      const isDone = () => existsSync(`${file}.done`) && Number(readFileSync(`${file}.done`, 'utf8')) >= pushedMs;
      await until(`${ms} ms have passed in the process`, isDone, { everyMs: 10 });
    },
  };
}

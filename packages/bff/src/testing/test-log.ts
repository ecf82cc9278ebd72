import { type Log, openLog } from '../lib/log.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/** A log that keeps its lines, with a clock that a test advances. */
export function testLog(level = 'info', clock: VirtualClock = createVirtualClock()) {
  const lines: Record<string, unknown>[] = [];
  const output = { isLost: false, write: (line: string) => void lines.push(JSON.parse(line)), close: async () => {} };
  const log: Log = openLog({ level, output, clock });
  return { log, output, clock, lines, messages: () => lines.map(({ msg }) => String(msg)) };
}

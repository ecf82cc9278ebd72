import { readFileSync } from 'node:fs';
import { openFaultyDisk } from '../../packages/bff/src/testing/faulty-disk.ts';

/** How a process finds its machine. */
export interface Machine {
  /** Its wall clock is off by this much, in ms. */
  readonly wallShiftMs: number;
  /** Which boot it is: with each, the monotonic clock starts anew. */
  readonly boot: number;
  readonly isDiskFull: boolean;
}

/** A boot takes this much off the monotonic clock, in ns: it is then smaller than what was written down before. */
const BOOT_NS = 10_000_000_000_000n;

// Loaded before a server (`--import`): its machine is what the file says, as soon as that is written; another boot counts from its next start.
const file = process.env['NEMESIS_MACHINE'] ?? '';
const disk = openFaultyDisk(process.env['PULSE_STATE_DIR'] ?? '/nowhere');
const RealDate = Date;
let machine = { wallShiftMs: 0, boot: 0, isDiskFull: false };

function look(): void {
  try {
    machine = JSON.parse(readFileSync(file, 'utf8')) as typeof machine;
  } catch {
    // It is being written: the next look finds it whole.
  }
  disk.isFull = machine.isDiskFull;
}

look();
setInterval(look, 100).unref();
const sinceBootNs = process.hrtime.bigint.bind(process.hrtime);
const offBootNs = BigInt(machine.boot) * BOOT_NS;
process.hrtime.bigint = () => sinceBootNs() - offBootNs + 100n * BOOT_NS;

globalThis.Date = class extends RealDate {
  constructor(...given: [] | [number | string]) {
    super(...((given.length === 0 ? [RealDate.now() + machine.wallShiftMs] : given) as [number]));
  }
  static override now(): number {
    return RealDate.now() + machine.wallShiftMs;
  }
} as DateConstructor;

import { readFileSync } from 'node:fs';
import { openFaultyDisk } from '../../packages/bff/src/testing/faulty-disk.ts';

/** How a process finds its simulated machine. */
export interface Machine {
  /** Its wall clock is off by this much, in ms. */
  readonly wallShiftMs: number;
  readonly isDiskFull: boolean;
}

// Loaded before a server (`--import`). Changes its simulated machine as soon as the file changes.
const file = process.env['NEMESIS_MACHINE'] ?? '';
const disk = openFaultyDisk(process.env['PULSE_STATE_DIR'] ?? '/nowhere');
const RealDate = Date;
let machine: Machine = { wallShiftMs: 0, isDiskFull: false };

function look(): void {
  try {
    machine = JSON.parse(readFileSync(file, 'utf8')) as Machine;
  } catch {
    // The file is being written. The next check finds it complete.
  }
  disk.isFull = machine.isDiskFull;
}

look();
setInterval(look, 100).unref();
globalThis.Date = class extends RealDate {
  constructor(...given: [] | [number | string]) {
    super(...((given.length === 0 ? [RealDate.now() + machine.wallShiftMs] : given) as [number]));
  }
  static override now(): number {
    return RealDate.now() + machine.wallShiftMs;
  }
} as DateConstructor;

import { readFileSync } from 'node:fs';
import { openFaultyDisk } from '../../packages/bff/src/testing/faulty-disk.ts';

/** The simulated machine of a process. */
export interface Machine {
  /** The error of its wall clock, in ms. */
  readonly wallShiftMs: number;
  readonly isDiskFull: boolean;
}

// This module is loaded before a server (`--import`). It applies the simulated machine that the file describes, and
// each change to the file.
const file = process.env['NEMESIS_MACHINE'] ?? '';
const disk = openFaultyDisk(process.env['PULSE_STATE_DIR'] ?? '/nowhere');
const RealDate = Date;
let machine: Machine = { wallShiftMs: 0, isDiskFull: false };

function look(): void {
  try {
    machine = JSON.parse(readFileSync(file, 'utf8')) as Machine;
  } catch {
    // The file is being written. The next check finds the complete file.
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

import { readFileSync } from 'node:fs';

// Loaded before a server (`--import`): its wall clock is off by what the file says, in ms, as soon as that is written.
const file = process.env['NEMESIS_CLOCK'] ?? '';
const RealDate = Date;
let shiftMs = 0;

function look(): void {
  try {
    shiftMs = Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    shiftMs = 0;
  }
}

look();
setInterval(look, 100).unref();

globalThis.Date = class extends RealDate {
  constructor(...given: [] | [number | string]) {
    super(...((given.length === 0 ? [RealDate.now() + shiftMs] : given) as [number]));
  }
  static override now(): number {
    return RealDate.now() + shiftMs;
  }
} as DateConstructor;

import type { Clock } from '../clock.ts';

/** A clock that moves only when a test advances it. */
export class TestClock implements Clock {
  #nowMs = Date.parse('2026-05-08T09:05:00.250Z');

  nowMs = (): number => this.#nowMs;
  monotonicMs = (): number => this.#nowMs;

  push(ms: number): void {
    this.#nowMs += ms;
  }

  /** The time in the format used in responses. */
  get iso(): string {
    return new Date(this.#nowMs).toISOString();
  }
}

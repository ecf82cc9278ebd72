import type { Clock } from '../clock.ts';

/** What `promise` resolves to, or undefined once `limitMs` have passed; leaves no timer behind. */
export function within<Value>(clock: Clock, limitMs: number, promise: Promise<Value>): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.schedule(limitMs, () => resolve(undefined));
    promise.then(resolve, reject).finally(cancel);
  });
}

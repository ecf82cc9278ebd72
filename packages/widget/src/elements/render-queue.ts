/** Roughly how long elements are rendered before the browser can do other work. */
const SLICE_MS = 8;

let sliceEndsAt = 0;
let queue = Promise.resolve();

/**
 * Resolves when it is the caller's turn to render. If many elements render at the same time, the work is spread over
 * several tasks.
 */
export function renderTurn(): Promise<void> {
  return (queue = queue.then(async () => {
    if (performance.now() < sliceEndsAt) return;
    await new Promise((resolve) => setTimeout(resolve));
    sliceEndsAt = performance.now() + SLICE_MS;
  }));
}

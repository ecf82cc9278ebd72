/** Elements are rendered for about this long before the browser gets a turn. */
const SLICE_MS = 8;

let sliceEndsAt = 0;
let queue = Promise.resolve();

/** Resolves when it is the caller's turn to render: many elements that render together share the work over several tasks. */
export function renderTurn(): Promise<void> {
  return (queue = queue.then(async () => {
    if (performance.now() < sliceEndsAt) return;
    await new Promise((resolve) => setTimeout(resolve));
    sliceEndsAt = performance.now() + SLICE_MS;
  }));
}

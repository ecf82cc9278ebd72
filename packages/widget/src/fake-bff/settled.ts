import type { PulseStatus } from '../controllers/resource-state.ts';
import type { PulseBoard, PulseCard } from '../elements/index.ts';

/** Resolves to an element's state once it is neither `idle` nor `loading`. */
export async function settled(element: PulseCard | PulseBoard): Promise<PulseStatus> {
  await element.updateComplete;
  while (element.state === 'idle' || element.state === 'loading')
    await new Promise((resolve) => element.addEventListener('pulse-state', resolve, { once: true }));
  await element.updateComplete;
  return element.state;
}

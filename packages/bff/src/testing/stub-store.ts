import { memoryText } from '../lib/kept-text.ts';
import type { SharedStore } from '../pulses/store.ts';

/** What instances share, without Redis: it is empty and always reachable, except for what `parts` specifies. */
export function stubStore(parts: Pick<SharedStore, 'budget'> & Partial<SharedStore>): SharedStore {
  return {
    load: async () => undefined,
    save: () => {},
    lock: async () => true,
    unlock: () => {},
    text: memoryText,
    status: () => ({ state: 'joined', lostForMs: 0, losses: 0, evictionPolicy: null }),
    close: () => {},
    ...parts,
  };
}

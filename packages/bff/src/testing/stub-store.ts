import { memoryText } from '../lib/stored-text.ts';
import type { SharedStore } from '../pulses/shared-store.ts';

/** The storage that instances share, without Redis. It is empty and always reachable, unless `parts` overrides this. */
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

import type { SharedCache, SharedEntry } from '../cache/peers.ts';
import type { Failure } from '../upstream/gate.ts';
import type { Content } from '../upstream/response.ts';
import type { Answer } from '../upstream/upstream.ts';

/** Other instances, played by a test: what they have stored is put into `found`, what they store now goes through `announce`. */
export interface FakeSharedCache extends SharedCache {
  readonly found: Map<string, SharedEntry>;
  /** Answers that this instance published, in order. */
  readonly stored: Answer<Content>[];
  /** Failures that this instance published, by subject. */
  readonly failures: Map<string, Failure>;
  /** Stores an entry, as another instance does. */
  announce(subject: string, entry: SharedEntry): Promise<void>;
}

export function createFakeSharedCache(): FakeSharedCache {
  let listener: Parameters<SharedCache['listen']>[0] = () => {};
  const fake: FakeSharedCache = {
    found: new Map(),
    stored: [],
    failures: new Map(),
    announce: async (subject, entry) => {
      fake.found.set(subject, entry);
      await listener(subject);
    },
    listen: async (given) => {
      listener = given;
      for (const subject of fake.found.keys()) await listener(subject);
    },
    get: (subject) => Promise.resolve(fake.found.get(subject) ?? {}),
    store: (_subject, answer) => void fake.stored.push(answer),
    storeFailure: (subject, failure) => void fake.failures.set(subject, failure),
  };
  return fake;
}

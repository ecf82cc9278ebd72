import type { SharedCache, SharedFailure, SharedEntry, SharedListener } from '../cache/port.ts';

/** Other instances, played by a test: what they know is put into `found`, what they say goes through `listener`. */
export interface FakeSharedCache extends SharedCache {
  isLeader: boolean;
  readonly found: Map<string, SharedEntry>;
  /** Failures that this instance published, by subject. */
  readonly failures: Map<string, SharedFailure>;
  /** The cache that listens; set once it has started. */
  listener: SharedListener | undefined;
}

/** Makes a cluster of one leader that nobody else talks to. */
export function createFakeSharedCache(): FakeSharedCache {
  const fake: FakeSharedCache = {
    isLeader: true,
    found: new Map(),
    failures: new Map(),
    listener: undefined,
    listen: (listener) => void (fake.listener = listener),
    get: (subject) => Promise.resolve(fake.found.get(subject) ?? {}),
    forget: (subject) => void fake.found.delete(subject),
    storePulse: () => {},
    storeList: () => {},
    storeFailure: (subject, failure) => void fake.failures.set(subject, failure),
    publishDemand: () => {},
  };
  return fake;
}

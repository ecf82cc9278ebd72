import type { SharedAnswers, SharedFailure, SharedFinding, SharedListener } from '../cache/shared-answers.ts';

/** Other instances, played by a test: what they know is put into `found`, what they say goes through `listener`. */
export interface FakeSharedAnswers extends SharedAnswers {
  leads: boolean;
  readonly found: Map<string, SharedFinding>;
  /** Failures that this instance published, by subject. */
  readonly failures: Map<string, SharedFailure>;
  /** The cache that listens; set once it has started. */
  listener: SharedListener | undefined;
}

/** Makes a cluster of one leader that nobody else talks to. */
export function createFakeSharedAnswers(): FakeSharedAnswers {
  const fake: FakeSharedAnswers = {
    leads: true,
    found: new Map(),
    failures: new Map(),
    listener: undefined,
    listen: (listener) => void (fake.listener = listener),
    look: (subject) => Promise.resolve(fake.found.get(subject) ?? {}),
    forget: (subject) => void fake.found.delete(subject),
    keepPulse: () => {},
    keepList: () => {},
    keepFailure: (subject, failure) => void fake.failures.set(subject, failure),
    tellDemand: () => {},
  };
  return fake;
}

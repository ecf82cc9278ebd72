import type { Mutation } from './mutation.ts';

/** What keeps live streams from costing more than they may. */
export const LIVE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'one client has twenty streams at most',
    threats: ['T-65'],
    from: "if ((this.#byClient.get(client) ?? 0) >= MAX_STREAMS_PER_CLIENT) return 'client';",
    to: '',
  },
  {
    name: 'streams are bounded in all',
    threats: ['T-65'],
    from: "return this.#open >= this.#max ? 'total' : undefined;",
    to: 'return undefined;',
  },
  {
    name: 'a reader who does not read is cut',
    threats: ['T-65'],
    from: 'if (this.#response.writableLength > MAX_WAITING_BYTES) this.#cut();',
    to: 'if (this.#response.destroyed) this.#cut();',
  },
  {
    name: 'a stream ends after half an hour',
    threats: ['T-65'],
    from: 'this.#clock.now() < connection.times.endsAt && connection.holds()',
    to: 'connection.holds()',
  },
  {
    name: 'a reader whose token was taken back is told nothing more',
    threats: ['T-34', 'T-65'],
    from: 'if (!this.#isAllowed(connection)) return;',
    to: '',
  },
  {
    name: 'places are given back',
    threats: ['T-65'],
    from: 'this.#connectionLimiter.release(connection.client);',
    to: '',
  },
  {
    name: 'a stream shows what its token names',
    threats: ['T-33', 'T-65'],
    from: 'ids.filter((id) => context.accessGrant.allowsSource(id))',
    to: 'ids.filter((id) => context.accessGrant !== undefined || id)',
  },
];

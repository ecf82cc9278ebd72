import type { Mutation } from './mutation.ts';

const STREAMS_TEST = 'packages/bff/src/live/live-streams.test.ts';
const ROUTE_TEST = 'packages/bff/src/http/events-route.test.ts';

/** What keeps live streams from costing more than they may. */
export const LIVE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'one client has twenty streams at most',
    threats: ['T-65'],
    file: 'packages/bff/src/live/live-places.ts',
    from: "if ((this.#byClient.get(client) ?? 0) >= MOST_STREAMS_OF_ONE) return 'client';",
    to: '',
    tests: [STREAMS_TEST, ROUTE_TEST],
  },
  {
    name: 'streams are bounded in all',
    threats: ['T-65'],
    file: 'packages/bff/src/live/live-places.ts',
    from: "return this.#taken >= this.#most ? 'total' : undefined;",
    to: 'return undefined;',
    tests: [STREAMS_TEST],
  },
  {
    name: 'a reader who does not read is cut',
    threats: ['T-65'],
    file: 'packages/bff/src/live/live-reader.ts',
    from: 'if (this.#response.writableLength > MOST_WAITING_BYTES) this.#cut();',
    to: 'if (this.#response.destroyed) this.#cut();',
    tests: [STREAMS_TEST],
  },
  {
    name: 'a stream ends after half an hour',
    threats: ['T-65'],
    file: 'packages/bff/src/live/live-streams.ts',
    from: 'this.#clock.now() < reader.times.endsAt && reader.holds()',
    to: 'reader.holds()',
    tests: [STREAMS_TEST],
  },
  {
    name: 'a reader whose token was taken back is told nothing more',
    threats: ['T-34', 'T-65'],
    file: 'packages/bff/src/live/live-streams.ts',
    from: 'if (!this.#isAllowed(reader)) return;',
    to: '',
    tests: [STREAMS_TEST],
  },
  {
    name: 'places are given back',
    threats: ['T-65'],
    file: 'packages/bff/src/live/live-streams.ts',
    from: 'this.#places.give(reader.client);',
    to: '',
    tests: [STREAMS_TEST],
  },
  {
    name: 'a stream shows what its token names',
    threats: ['T-33', 'T-65'],
    file: 'packages/bff/src/http/events-route.ts',
    from: 'ids.filter((id) => exchange.permit.covers(id))',
    to: 'ids.filter((id) => exchange.permit !== undefined || id)',
    tests: ['packages/bff/src/http/token-gate.test.ts', ROUTE_TEST],
  },
];

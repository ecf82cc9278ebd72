import type { Mutation } from './mutation.ts';

/** What is believed of Redis, and what is kept apart there. They need a Redis server. */
export const REDIS_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a value in Redis is signed',
    threats: ['T-30'],
    from: 'if (!envelope || !namespace.verify(envelope.signature, [envelope.text])) return undefined;',
    to: 'if (!envelope) return undefined;',
  },
  {
    name: 'a value in Redis is about what was asked for',
    threats: ['T-30'],
    from: 'return value?.subject === subject ? value : undefined;',
    to: 'return subject === undefined ? undefined : value;',
  },
  {
    name: 'a signature is compared whole',
    threats: ['T-30'],
    from: 'given.length === right.length && timingSafeEqual(given, right)',
    to: 'given.length === right.length',
  },
  {
    name: 'names of key namespaces do not run together',
    threats: ['T-31'],
    file: 'packages/bff/src/cluster/key-namespace.ts',
    from: "createHmac('sha256', secret).update(JSON.stringify(parts))",
    to: "createHmac('sha256', secret).update(parts.join(''))",
  },
  {
    name: 'a key namespace’s name comes from the key',
    threats: ['T-31'],
    from: "digest(secret.derive('pulse-card namespace 1'), [baseUrl])",
    to: "digest(Buffer.from('pulse-card namespace 1'), [baseUrl])",
  },
  {
    name: 'two instances do not ask the same at once',
    threats: ['T-32'],
    from: "  if wait then return 'in-flight-elsewhere', wait, 0 end",
    to: '',
  },
  {
    name: 'an account that has lost calls is reset',
    threats: ['T-32'],
    from: "local has_lost_counts = is_same and seen > num('counted')",
    to: 'local has_lost_counts = false',
  },
  {
    name: 'no call lapses because the time of the account is put right',
    threats: ['T-32'],
    from: 'if stood_still then put_off(ahead) end',
    to: '',
  },
  {
    name: 'what somebody else wrote holds calls back for a window at most',
    threats: ['T-32'],
    from: 'clamp_all()\nkeep(STATE)',
    to: 'keep(STATE)',
  },
  {
    name: 'what Redis says badly is forgotten',
    threats: ['T-30'],
    from: 'if (fencingToken !== null && String(rank) !== fencingToken) void client.forget(keys.answer).catch(() => {});',
    to: '',
  },
];

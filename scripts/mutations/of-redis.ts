import type { Mutation } from './mutation.ts';

const VALUE = 'packages/bff/src/redis/shared-value.ts';
const VALUE_TEST = 'packages/bff/src/redis/shared-value.test.ts';
const TENANT = 'packages/bff/src/redis/tenant.ts';
const TENANT_TEST = 'packages/bff/src/redis/tenant.test.ts';
const INSTANCES_TEST = 'packages/bff/src/redis/instances.test.ts';
const SCRIPT = 'packages/bff/src/redis/ledger-script.ts';
const LEDGER_TEST = 'packages/bff/src/redis/redis-ledger.test.ts';

/** What is believed of Redis, and what is kept apart there. They need a Redis server. */
export const REDIS_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a value in Redis is sealed',
    threats: ['T-30'],
    file: VALUE,
    from: 'if (!envelope || !tenant.isSealed(envelope.seal, [envelope.text])) return undefined;',
    to: 'if (!envelope) return undefined;',
    tests: [VALUE_TEST],
  },
  {
    name: 'a value in Redis is about what was asked for',
    threats: ['T-30'],
    file: VALUE,
    from: 'return value?.subject === subject ? value : undefined;',
    to: 'return subject === undefined ? undefined : value;',
    tests: [VALUE_TEST],
  },
  {
    name: 'a seal is compared whole',
    threats: ['T-30'],
    file: TENANT,
    from: 'given.length === right.length && timingSafeEqual(given, right)',
    to: 'given.length === right.length',
    tests: [TENANT_TEST],
  },
  {
    name: 'names of tenants do not run together',
    threats: ['T-31'],
    file: TENANT,
    from: "createHmac('sha256', secret).update(JSON.stringify(parts))",
    to: "createHmac('sha256', secret).update(parts.join(''))",
    tests: [TENANT_TEST],
  },
  {
    name: 'a tenant’s name comes from the key',
    threats: ['T-31'],
    file: TENANT,
    from: "digest(secret.derive('pulse-card tenant 1'), [baseUrl])",
    to: "digest(Buffer.from('pulse-card tenant 1'), [baseUrl])",
    tests: [TENANT_TEST],
  },
  {
    name: 'two instances do not ask the same at once',
    threats: ['T-32'],
    file: SCRIPT,
    from: "  if wait then return 'wait', wait, 0 end",
    to: '',
    tests: [INSTANCES_TEST],
  },
  {
    name: 'an account that has lost calls is reset',
    threats: ['T-32'],
    file: SCRIPT,
    from: "local has_lost_counts = is_same and seen > num('counted')",
    to: 'local has_lost_counts = false',
    tests: [LEDGER_TEST],
  },
  {
    name: 'no call lapses because the time of the account is put right',
    threats: ['T-32'],
    file: SCRIPT,
    from: 'if stood_still then put_off(ahead) end',
    to: '',
    tests: [LEDGER_TEST],
  },
  {
    name: 'what somebody else wrote holds calls back for a window at most',
    threats: ['T-32'],
    file: SCRIPT,
    from: 'clamp_all()\nkeep(STATE)',
    to: 'keep(STATE)',
    tests: [LEDGER_TEST],
  },
  {
    name: 'what Redis says badly is forgotten',
    threats: ['T-30'],
    file: 'packages/bff/src/redis/redis-answers.ts',
    from: 'if (fence !== null && String(rank) !== fence) void link.forget(keys.answer).catch(() => {});',
    to: '',
    tests: ['packages/bff/src/redis/poison.test.ts'],
  },
];

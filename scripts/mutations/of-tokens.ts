import type { Mutation } from './mutation.ts';

const VERIFIER = 'packages/bff/src/access/token-verifier.ts';
const VERIFIER_TEST = 'packages/bff/src/access/token-verifier.test.ts';
const CLAIMS = 'packages/bff/src/access/token-claims.ts';
const TEXT = 'packages/bff/src/access/token-text.ts';
const KEYS = 'packages/bff/src/access/token-keys.ts';
const KEYS_TEST = 'packages/bff/src/access/token-keys.test.ts';
const GATE = 'packages/bff/src/http/token-gate.ts';
const GATE_TEST = 'packages/bff/src/http/token-gate.test.ts';
const CAPABILITIES = 'packages/bff/src/access/image-capabilities.ts';
const CAPABILITIES_TEST = 'packages/bff/src/access/image-capabilities.test.ts';

/** What a token must be, and what it grants. */
export const TOKEN_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a token is meant for this BFF',
    threats: ['T-33'],
    file: VERIFIER,
    from: 'audience: this.#parts.audience,',
    to: '',
    tests: [VERIFIER_TEST],
  },
  {
    name: 'a token is not from the future',
    threats: ['T-33'],
    file: VERIFIER,
    from: 'maxTokenAge: LONGEST_LIFE_SECONDS,',
    to: '',
    tests: [VERIFIER_TEST],
  },
  {
    name: 'the clocks may differ by two minutes and no more',
    threats: ['T-34'],
    file: VERIFIER,
    from: 'clockTolerance: CLOCK_TOLERANCE_SECONDS,',
    to: 'clockTolerance: 86_400,',
    tests: [VERIFIER_TEST],
  },
  {
    name: 'a token that was taken back grants nothing',
    threats: ['T-34'],
    file: VERIFIER,
    from: "if (ring.revoked.has(jti)) return 'revoked';",
    to: '',
    tests: [VERIFIER_TEST, GATE_TEST, 'packages/bff/src/token-access.test.ts'],
  },
  {
    name: 'a token that is remembered ends all the same',
    threats: ['T-34'],
    file: VERIFIER,
    from: 'permit !== undefined && this.#parts.wallNow() < permit.endsAtMs ? permit : undefined',
    to: 'permit',
    tests: [VERIFIER_TEST],
  },
  {
    name: 'what was verified is forgotten when the keys change',
    threats: ['T-34'],
    file: VERIFIER,
    from: '    this.#verified.clear();',
    to: '',
    tests: [VERIFIER_TEST],
  },
  {
    name: 'a token lives for ten minutes at most',
    threats: ['T-33'],
    file: CLAIMS,
    from: "if (lifeSeconds <= 0 || lifeSeconds > LONGEST_LIFE_SECONDS) return 'life';",
    to: '',
    tests: [VERIFIER_TEST],
  },
  {
    name: 'sources and origins of a token are what they should be',
    threats: ['T-33'],
    file: CLAIMS,
    from: "if (!isAllOr(sources, isSourceId) || !isAllOr(origins, isExactOrigin)) return 'claims';",
    to: '',
    tests: [VERIFIER_TEST],
  },
  {
    name: 'a token has one spelling',
    threats: ['T-33'],
    file: 'packages/bff/src/access/base64url.ts',
    from: String.raw`/^[\w-]+$/.test(text) && Buffer.from(text, 'base64url').toString('base64url') === text`,
    to: 'text.length > 0',
    tests: ['packages/bff/src/access/base64url.test.ts', VERIFIER_TEST],
  },
  {
    name: 'no claim stands there twice',
    threats: ['T-33'],
    file: TEXT,
    from: 'return hasDuplicateNames(json, value) ? undefined : (value as Record<string, unknown>);',
    to: 'return value as Record<string, unknown>;',
    tests: [VERIFIER_TEST],
  },
  {
    name: 'the header of a token asks for nothing',
    threats: ['T-33'],
    file: TEXT,
    from: '!Object.keys(header).every((name) => HEADER_NAMES.has(name)) || ',
    to: '',
    tests: [VERIFIER_TEST],
  },
  {
    name: 'a token is 4 KiB at most',
    threats: ['T-33'],
    file: TEXT,
    from: "if (token.length > LONGEST_TOKEN) return 'too_long';",
    to: '',
    tests: [VERIFIER_TEST],
  },
  {
    name: 'a secret has 32 bytes at least',
    threats: ['T-33', 'T-66'],
    file: KEYS,
    from: 'if (bytes.length < SHORTEST_SECRET_BYTES)',
    to: 'if (bytes.length < 1)',
    tests: [KEYS_TEST],
  },
  {
    name: 'the public key of a pair is no secret',
    threats: ['T-33'],
    file: KEYS,
    from: "if (NO_SECRET.test(bytes.toString('latin1')))",
    to: 'if (bytes.length === 0)',
    tests: [KEYS_TEST],
  },
  {
    name: 'a token shows the sources that it names',
    threats: ['T-33'],
    file: 'packages/bff/src/access/permit.ts',
    from: "return this.#sources === '*' || this.#sources.has(sourceId);",
    to: 'return sourceId.length > 0;',
    tests: [GATE_TEST, VERIFIER_TEST],
  },
  {
    name: 'a token works on the pages that it names',
    threats: ['T-34'],
    file: 'packages/bff/src/access/permit.ts',
    from: "return allowed === '*' || origins.some((origin) => allowed.has(origin));",
    to: 'return origins.length >= 0 || allowed;',
    tests: [GATE_TEST, VERIFIER_TEST],
  },
  {
    name: 'of two Authorization headers none counts',
    threats: ['T-17', 'T-33'],
    file: GATE,
    from: "return count > 1 ? '' : token;",
    to: 'return count > 9 ? undefined : token;',
    tests: [GATE_TEST],
  },
  {
    name: 'answers to a token are private',
    threats: ['T-19', 'T-33'],
    file: GATE,
    from: 'exchange.isPrivate = true;',
    to: '',
    tests: [GATE_TEST],
  },
  {
    name: 'the address of a chart is signed',
    threats: ['T-33'],
    file: CAPABILITIES,
    from: 'timingSafeEqual(signatureOf(secret, sourceId, run, expiresAt), given)',
    to: 'signatureOf(secret, sourceId, run, expiresAt).length === given.length',
    tests: [CAPABILITIES_TEST],
  },
  {
    name: 'the address of a chart ends',
    threats: ['T-34'],
    file: CAPABILITIES,
    from: 'return isSigned && this.#parts.wallNow() < endsAtMs ? endsAtMs : undefined;',
    to: 'return isSigned ? endsAtMs : undefined;',
    tests: [CAPABILITIES_TEST],
  },
];

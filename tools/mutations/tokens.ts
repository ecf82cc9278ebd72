import type { Mutation } from './mutation.ts';

/** What a token must be, and what it grants. */
export const TOKEN_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a token is meant for this BFF',
    threats: ['T-33'],
    from: 'audience: this.#parts.audience,',
    to: '',
  },
  {
    name: 'a token is not from the future',
    threats: ['T-33'],
    from: 'maxTokenAge: MAX_LIFE_SECONDS,',
    to: '',
  },
  {
    name: 'the clocks may differ by two minutes and no more',
    threats: ['T-34'],
    from: 'clockTolerance: CLOCK_TOLERANCE_SECONDS,',
    to: 'clockTolerance: 86_400,',
  },
  {
    name: 'a token that was taken back grants nothing',
    threats: ['T-34'],
    from: "if (keySet.revoked.has(jti)) return 'revoked';",
    to: '',
  },
  {
    name: 'a token that is remembered ends all the same',
    threats: ['T-34'],
    from: 'accessGrant !== undefined && this.#parts.wallNow() < accessGrant.endsAtMs ? accessGrant : undefined',
    to: 'accessGrant',
  },
  {
    name: 'what was verified is forgotten when the keys change',
    threats: ['T-34'],
    from: '    this.#verified.clear();',
    to: '',
  },
  {
    name: 'a token lives for ten minutes at most',
    threats: ['T-33'],
    from: "if (lifeSeconds <= 0 || lifeSeconds > MAX_LIFE_SECONDS) return 'life';",
    to: '',
  },
  {
    name: 'sources and origins of a token are what they should be',
    threats: ['T-33'],
    from: "if (!isAllOr(sources, isSourceId) || !isAllOr(origins, isExactOrigin)) return 'claims';",
    to: '',
  },
  {
    name: 'a token has one spelling',
    threats: ['T-33'],
    from: String.raw`/^[\w-]+$/.test(text) && Buffer.from(text, 'base64url').toString('base64url') === text`,
    to: 'text.length > 0',
  },
  {
    name: 'no claim stands there twice',
    threats: ['T-33'],
    from: ' && !texts.some((json) => hasDuplicateKeys(json, JSON.parse(json)))',
    to: ' && texts.length === 2',
  },
  {
    name: 'the header of a token asks for nothing',
    threats: ['T-33'],
    from: "if (!Object.keys(header).every((name) => HEADER_NAMES.has(name))) throw new TokenHeaderError('header');",
    to: '',
  },
  {
    name: 'a token is 4 KiB at most',
    threats: ['T-33'],
    from: "if (token.length > MAX_TOKEN_LENGTH) return 'too_long';",
    to: '',
  },
  {
    name: 'a secret has 32 bytes at least',
    threats: ['T-33', 'T-66'],
    from: 'if (bytes.length < MIN_SECRET_BYTES)',
    to: 'if (bytes.length < 1)',
  },
  {
    name: 'the public key of a pair is no secret',
    threats: ['T-33'],
    from: "if (NO_SECRET.test(bytes.toString('latin1')))",
    to: 'if (bytes.length === 0)',
  },
  {
    name: 'a token shows the sources that it names',
    threats: ['T-33'],
    from: "return this.#sources === '*' || this.#sources.has(sourceId);",
    to: 'return sourceId.length > 0;',
  },
  {
    name: 'a token works on the pages that it names',
    threats: ['T-34'],
    from: "return allowed === '*' || origins.some((origin) => allowed.has(origin));",
    to: 'return origins.length >= 0 || allowed;',
  },
  {
    name: 'of two Authorization headers none counts',
    threats: ['T-17', 'T-33'],
    from: "if (countOf('authorization', request) > 1) return '';",
    to: '',
  },
  {
    name: 'answers to a token are private',
    threats: ['T-19', 'T-33'],
    from: 'context.isPrivate = true;\n    const chart =',
    to: 'const chart =',
  },
  {
    name: 'the address of a chart is signed',
    threats: ['T-33'],
    from: 'timingSafeEqual(signatureOf(secret, sourceId, run, expiresAt), given)',
    to: 'signatureOf(secret, sourceId, run, expiresAt).length === given.length',
  },
  {
    name: 'the address of a chart ends',
    threats: ['T-34'],
    from: 'return isSigned && this.#parts.wallNow() < endsAtMs ? endsAtMs : undefined;',
    to: 'return isSigned ? endsAtMs : undefined;',
  },
];

import type { Mutation } from './mutation.ts';

const HTTP_UPSTREAM = 'packages/bff/src/upstream/http-upstream.ts';
const HTTP_UPSTREAM_TEST = 'packages/bff/src/upstream/http-upstream.test.ts';

/** What guards the key on its way, and what is believed of what comes back. */
export const UPSTREAM_MUTATIONS: readonly Mutation[] = [
  {
    name: 'no redirect is followed with the key',
    threats: ['T-03'],
    file: HTTP_UPSTREAM,
    from: "redirect: 'manual'",
    to: "redirect: 'follow'",
    tests: [HTTP_UPSTREAM_TEST],
  },
  {
    name: 'one deadline covers the body, too',
    threats: ['T-27'],
    file: HTTP_UPSTREAM,
    from: 'signal: signal ? AbortSignal.any([deadline, signal]) : deadline,',
    to: '',
    tests: [HTTP_UPSTREAM_TEST],
  },
  {
    name: 'an answer is no longer than 256 KiB, unpacked',
    threats: ['T-26'],
    file: 'packages/bff/src/upstream/bounded-body.ts',
    from: 'if (bytes > limitBytes) return undefined;',
    to: '',
    tests: [HTTP_UPSTREAM_TEST],
  },
  {
    name: 'an answer is JSON by its type',
    threats: ['T-26'],
    file: HTTP_UPSTREAM,
    from: 'if (!isJson(headers)) {',
    to: 'if (!headers) {',
    tests: [HTTP_UPSTREAM_TEST],
  },
  {
    name: 'an answer is about the source that was asked for',
    threats: ['T-26'],
    file: HTTP_UPSTREAM,
    from: 'pulse.sourceId === sourceId',
    to: 'pulse.sourceId !== undefined',
    tests: [HTTP_UPSTREAM_TEST],
  },
  {
    name: 'a 404 counts only in the shape of the specification',
    threats: ['T-29'],
    file: HTTP_UPSTREAM,
    from: "answer.kind === 'refusal' && answer.isOwn && answer.status === 404",
    to: "answer.kind === 'refusal' && answer.status === 404",
    tests: [HTTP_UPSTREAM_TEST],
  },
  {
    name: 'a firewall’s 403 is no refusal of the key',
    threats: ['T-29'],
    file: HTTP_UPSTREAM,
    from: "if (!isOwn) return { kind: 'intermediary-error', status };",
    to: '',
    tests: [HTTP_UPSTREAM_TEST],
  },
  {
    name: 'rate-limit headers count on the service’s own answers alone',
    threats: ['T-28'],
    file: HTTP_UPSTREAM,
    from: "return ok || (answer.kind === 'refusal' && answer.isOwn) ? rateFactsIn(headers) : undefined;",
    to: 'return ok || answer ? rateFactsIn(headers) : undefined;',
    tests: [HTTP_UPSTREAM_TEST],
  },
  {
    name: 'a key does not show itself when it is inspected',
    threats: ['T-01'],
    file: 'packages/bff/src/upstream/api-key.ts',
    from: `  [inspect.custom](): string {
    return REDACTED;
  }`,
    to: `  [inspect.custom](): string {
    return this.#value;
  }`,
    tests: ['packages/bff/src/upstream/api-key.test.ts'],
  },
  {
    name: 'nothing of what was thrown on the way is passed on',
    threats: ['T-01'],
    file: HTTP_UPSTREAM,
    from: '    } catch (error) {\n      // What',
    to: '    } catch (error) {\n      if (error) throw error;\n      // What',
    tests: [HTTP_UPSTREAM_TEST],
  },
  {
    name: 'a key does not show itself as JSON',
    threats: ['T-01'],
    file: 'packages/bff/src/upstream/api-key.ts',
    from: `  toJSON(): string {
    return REDACTED;
  }`,
    to: `  toJSON(): string {
    return this.#value;
  }`,
    tests: ['packages/bff/src/upstream/api-key.test.ts'],
  },
  {
    name: 'a key is one line of visible ASCII',
    threats: ['T-10'],
    file: 'packages/bff/src/upstream/api-key.ts',
    from: String.raw`/^[\x21-\x7e]{8,256}$/`,
    to: String.raw`/^[^]{8,256}$/`,
    tests: ['packages/bff/src/upstream/api-key.test.ts'],
  },
  {
    name: 'the key goes to https: or loopback alone',
    threats: ['T-03', 'T-66'],
    file: 'packages/bff/src/upstream/upstream-url.ts',
    from: "if (!isSafe) throw new Error('Cannot use the base address: neither https: nor a loopback host');",
    to: '',
    tests: ['packages/bff/src/upstream/upstream-url.test.ts'],
  },
  {
    name: 'an address is built of an id alone',
    threats: ['T-15'],
    file: 'packages/bff/src/upstream/upstream-url.ts',
    from: "if (!isSourceId(question.sourceId)) throw new Error('Cannot build an upstream address: not a source id');",
    to: '',
    tests: ['packages/bff/src/upstream/upstream-url.test.ts'],
  },
  {
    name: 'a wait that the service asks for is 1 to 300 s',
    threats: ['T-28'],
    file: 'packages/bff/src/upstream/rate-facts.ts',
    from: 'Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, waitMs))',
    to: 'waitMs',
    tests: ['packages/bff/src/upstream/rate-facts.test.ts'],
  },
  {
    name: 'more calls left than the limit is not believed',
    threats: ['T-28'],
    file: 'packages/bff/src/upstream/rate-facts.ts',
    from: '0, limit ?? HIGHEST_LIMIT)',
    to: '0, HIGHEST_LIMIT)',
    tests: ['packages/bff/src/upstream/rate-facts.test.ts'],
  },
  {
    name: 'the account is dropped as an answer is read',
    threats: ['T-07'],
    file: 'packages/bff/src/http/public-pulse.ts',
    from: `  return {
    jobRunId: pulse.jobRunId,`,
    to: `  return {
    ...pulse,
    jobRunId: pulse.jobRunId,`,
    tests: ['packages/bff/src/http/pulse-route.test.ts', 'packages/bff/src/leaks.test.ts'],
  },
  {
    name: 'fields that the specification does not name are dropped',
    threats: ['T-07'],
    file: 'packages/contract/src/pulse.ts',
    from: 'export const readPulseSchema = z.object({',
    to: 'export const readPulseSchema = z.looseObject({',
    tests: ['packages/contract/src/pulse.test.ts'],
  },
  {
    name: 'text is cut as it is read',
    threats: ['T-26', 'T-38'],
    file: 'packages/contract/src/reading.ts',
    from: 'cutText(text.toWellFormed(), limit)',
    to: 'text.toWellFormed()',
    tests: ['packages/contract/src/reading.test.ts', 'packages/contract/src/pulse.test.ts'],
  },
  {
    name: 'addresses of what is read are https: alone',
    threats: ['T-36'],
    file: 'packages/contract/src/reading.ts',
    from: `  if (url.protocol === 'https:' || isLoopbackHost(url.hostname)) return url.href;
  return undefined;`,
    to: '  return url.href;',
    tests: ['packages/contract/src/reading.test.ts'],
  },
  {
    name: 'an address has no user name',
    threats: ['T-36', 'T-50'],
    file: 'packages/contract/src/reading.ts',
    from: "if (url.username !== '' || url.password !== '') return undefined;",
    to: '',
    tests: ['packages/contract/src/reading.test.ts'],
  },
  {
    name: 'an id has a shape, and no leading dot',
    threats: ['T-15', 'T-16'],
    file: 'packages/contract/src/source-id.ts',
    from: '/^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,127}$/',
    to: '/^[^/]{1,128}$/',
    tests: ['packages/contract/src/source-id.test.ts', 'packages/bff/src/http/admission.test.ts'],
  },
];

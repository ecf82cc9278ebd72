import type { Mutation } from './mutation.ts';

/** What guards the key on its way, and what is believed of what comes back. */
export const UPSTREAM_MUTATIONS: readonly Mutation[] = [
  {
    name: 'no redirect is followed with the key',
    threats: ['T-03'],
    from: "redirect: 'manual'",
    to: "redirect: 'follow'",
  },
  {
    name: 'one deadline covers the body, too',
    threats: ['T-27'],
    from: 'signal: signal ? AbortSignal.any([deadline, signal]) : deadline,',
    to: '',
  },
  {
    name: 'an answer is no longer than 256 KiB, unpacked',
    threats: ['T-26'],
    from: 'if (bytes > limitBytes) return undefined;',
    to: '',
  },
  {
    name: 'an answer is JSON by its type',
    threats: ['T-26'],
    from: 'if (!isJson(headers)) {',
    to: 'if (!headers) {',
  },
  {
    name: 'an answer is about the source that was asked for',
    threats: ['T-26'],
    file: 'packages/bff/src/upstream/http-upstream.ts',
    from: 'pulse.sourceId === sourceId',
    to: 'pulse.sourceId !== undefined',
  },
  {
    name: 'a 404 counts only in the shape of the specification',
    threats: ['T-29'],
    from: "answer.kind === 'refusal' && answer.isOwn && answer.status === 404",
    to: "answer.kind === 'refusal' && answer.status === 404",
  },
  {
    name: 'a firewall’s 403 is no refusal of the key',
    threats: ['T-29'],
    from: "if (!isOwn) return { kind: 'intermediary-error', status };",
    to: '',
  },
  {
    name: 'rate-limit headers count on the service’s own answers alone',
    threats: ['T-28'],
    from: "return ok || (answer.kind === 'refusal' && answer.isOwn) ? parseRateLimitHeaders(headers) : undefined;",
    to: 'return ok || answer ? parseRateLimitHeaders(headers) : undefined;',
  },
  {
    name: 'a secret does not show itself when it is inspected',
    threats: ['T-01'],
    from: `  [inspect.custom](): string {
    return REDACTED;
  }`,
    to: `  [inspect.custom](): string {
    return this.#text;
  }`,
  },
  {
    name: 'nothing of what was thrown on the way is passed on',
    threats: ['T-01'],
    from: `    } catch (error) {
      // What`,
    to: `    } catch (error) {
      if (error) throw error;
      // What`,
  },
  {
    name: 'a secret does not show itself as JSON',
    threats: ['T-01'],
    from: `  toJSON(): string {
    return REDACTED;
  }`,
    to: `  toJSON(): string {
    return this.#text;
  }`,
  },
  {
    name: 'a key is one line of visible ASCII',
    threats: ['T-10'],
    from: String.raw`/^[\x21-\x7e]{8,256}$/`,
    to: '/^[^]{8,256}$/',
  },
  {
    name: 'the key goes to https: or loopback alone',
    threats: ['T-03', 'T-66'],
    from: "if (!isSafe) throw new Error('Cannot use the base address: neither https: nor a loopback host');",
    to: '',
  },
  {
    name: 'an address is built of an id alone',
    threats: ['T-15'],
    from: "if (!isSourceId(request.sourceId)) throw new Error('Cannot build an upstream address: not a source id');",
    to: '',
  },
  {
    name: 'a wait that the service asks for is 1 to 300 s',
    threats: ['T-28'],
    from: 'Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, waitMs))',
    to: 'waitMs',
  },
  {
    name: 'more calls left than the limit is not believed',
    threats: ['T-28'],
    from: '0, limit ?? MAX_LIMIT)',
    to: '0, MAX_LIMIT)',
  },
  {
    name: 'the account is dropped as an answer is read',
    threats: ['T-07'],
    from: `  return {
    jobRunId: pulse.jobRunId,`,
    to: `  return {
    ...pulse,
    jobRunId: pulse.jobRunId,`,
  },
  {
    name: 'fields that the specification does not name are dropped',
    threats: ['T-07'],
    from: 'export const readPulseSchema = z.object({',
    to: 'export const readPulseSchema = z.looseObject({',
  },
  {
    name: 'text is cut as it is read',
    threats: ['T-26', 'T-38'],
    from: 'cutText(text.toWellFormed(), limit)',
    to: 'text.toWellFormed()',
  },
  {
    name: 'addresses of what is read are https: alone',
    threats: ['T-36'],
    from: `  if (url.protocol === 'https:' || isLoopbackHost(url.hostname)) return url.href;
  return undefined;`,
    to: '  return url.href;',
  },
  {
    name: 'an address has no user name',
    threats: ['T-36', 'T-50'],
    from: "if (url.username !== '' || url.password !== '') return undefined;",
    to: '',
  },
  {
    name: 'an id has a shape, and no leading dot',
    threats: ['T-15', 'T-16'],
    from: '/^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,127}$/',
    to: '/^[^/]{1,128}$/',
  },
  {
    name: 'plain HTTP leads to private addresses alone',
    threats: ['T-03'],
    from: 'if (isPlainHttp(url)) await assertPrivate(url.hostname, resolve);',
    to: '',
  },
];

import type { Mutation } from './mutation.ts';

/** What stands between a visitor and the routes. */
export const FRONT_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a foreign origin is refused',
    threats: ['T-47'],
    from: "if (isData && origins.judge(origin) === 'forbidden') {",
    to: "if (isData && origins.judge(origin) === 'forbidden' && request.method === 'DELETE') {",
  },
  {
    name: 'origins are compared exactly',
    threats: ['T-47'],
    from: "return this.isOpen || this.#allowed.has(origin) ? 'allowed' : 'forbidden';",
    to: "return this.isOpen || [...this.#allowed].some((one) => origin.startsWith(one)) ? 'allowed' : 'forbidden';",
  },
  {
    name: 'Vary names the origin',
    threats: ['T-19', 'T-47'],
    from: '`Accept-Encoding, Origin${',
    to: '`Accept-Encoding${',
  },
  {
    name: 'a mounted router answers private',
    threats: ['T-67'],
    from: "{ PULSE_CACHE: 'private' }",
    to: '{}',
  },
  {
    name: 'the Vary of the application is kept',
    threats: ['T-67'],
    from: 'mergeVary(response.getHeader(name), value)',
    to: 'mergeVary(undefined, value)',
  },
  {
    name: 'the stricter Cache-Control of the application is kept',
    threats: ['T-67'],
    from: 'stricterCacheControl(response.getHeader(name), value)',
    to: 'stricterCacheControl(undefined, value)',
  },
  {
    name: 'an origin has no wildcard',
    threats: ['T-47', 'T-66'],
    from: 'url.origin === text && isPlainHost(url.hostname)',
    to: 'url.origin === text',
  },
  {
    name: 'pages for frames are read by no other page',
    threats: ['T-47'],
    from: '...(page?.headers ?? readableBy(exchange)),',
    to: '...(page?.headers ?? []), ...readableBy(exchange),',
  },
  {
    name: 'errors are kept by no cache',
    threats: ['T-19'],
    file: 'packages/bff/src/http/send-error.ts',
    from: ": 'no-store',",
    to: ": 'public, max-age=60',",
  },
  {
    name: 'two hosts in a request are refused',
    threats: ['T-17'],
    from: "if (hosts > 1) return 'The request is malformed: it names more than one host';",
    to: '',
  },
  {
    name: 'a body is refused',
    threats: ['T-17'],
    from: "if (hasBody(request)) return 'The request is malformed: it must have no body';",
    to: '',
  },
  {
    name: 'nothing is answered behind a malformed request',
    threats: ['T-17'],
    from: "if (!exchange.headers.includes('Connection')) exchange.headers.push('Connection', 'close');",
    to: '',
  },
  {
    name: 'verbs that read nothing are refused',
    threats: ['T-13'],
    from: "sendError(exchange, 'method_not_allowed', { headers: ['Allow', ALLOWED_METHODS] });",
    to: "answer(exchange, '');",
  },
  {
    name: 'paths are matched to the letter',
    threats: ['T-20'],
    file: 'packages/bff/src/http/routes.ts',
    from: 'Router({ caseSensitive: true, strict: true })',
    to: 'Router()',
  },
  {
    name: 'an id is checked before it is looked up',
    threats: ['T-15'],
    file: 'packages/bff/src/http/pulse-route.ts',
    from: "if (!isSourceId(sourceId)) return sendError(exchange, 'invalid_source_id');",
    to: "if (sourceId === undefined) return sendError(exchange, 'invalid_source_id');",
  },
  {
    name: 'a batch names fifty ids at most',
    threats: ['T-22'],
    from: 'if (ids.length === 0 || ids.length > BATCH_SIZE)',
    to: 'if (ids.length === 0)',
  },
  {
    name: 'an id that is echoed is made harmless',
    threats: ['T-15', 'T-25'],
    from: '`{"sourceId":${asciiJson(sourceId)},',
    to: '`{"sourceId":${JSON.stringify(sourceId)},',
  },
  {
    name: 'a request that cannot be read has one answer',
    threats: ['T-17'],
    from: '!isLastAnswer(latest)) socket.end(textFor(error.code));',
    to: 'isLastAnswer(latest) !== undefined) socket.end(textFor(error.code));',
  },
  {
    name: 'a reader who has the answer gets 304',
    threats: ['T-12'],
    from: "if (isNoneMatch(this.request.headers['if-none-match'], form.tag))",
    to: 'if (this.status > 0)',
  },
  {
    name: 'a fault inside says nothing of itself',
    threats: ['T-01', 'T-02'],
    from: "else sendError(exchange, 'internal');",
    to: "else sendError(exchange, 'internal', { error: String(fault) });",
  },
  {
    name: 'a client that asks too often is refused',
    threats: ['T-24'],
    from: 'if (!window.isExceeded) return false;',
    to: 'if (window) return false;',
  },
  {
    name: 'X-Forwarded-For is believed of trusted proxies alone',
    threats: ['T-24'],
    from: "if (trust.kind === 'none') return socketName;",
    to: "if (trust.kind === 'none') return (request) => clientNameOf(proxyAddr(request, () => true));",
  },
  {
    name: 'an IPv6 network is one client',
    threats: ['T-24'],
    from: 'const IPV6_CLIENT_PREFIX = 56;',
    to: 'const IPV6_CLIENT_PREFIX = 128;',
  },
  {
    name: 'headers that never end are cut off',
    threats: ['T-23'],
    from: 'createServer({ ...TIMEOUTS, ...timeouts })',
    to: 'createServer({ requireHostHeader: false, headersTimeout: 0, requestTimeout: 0, keepAliveTimeout: 5_000, ...(timeouts && {}) })',
  },
  {
    name: 'headers are 8 KiB at most',
    threats: ['T-17', 'T-23'],
    from: 'maxHeaderSize: 8_192,',
    to: 'maxHeaderSize: 65_536,',
  },
  {
    name: 'a client that does not read is cut',
    threats: ['T-23'],
    from: 'server.timeout = MOST_IDLE_MS;',
    to: '',
  },
  {
    name: 'answers that wait behind others are bounded over all connections',
    threats: ['T-23'],
    from: 'if (isTooMany || counted.count > mostOfOne) endCheaply(socket);',
    to: 'if (counted.count > mostOfOne) endCheaply(socket);',
  },
  {
    name: 'answers that wait behind others are bounded on one connection',
    threats: ['T-23'],
    from: 'if (isTooMany || counted.count > mostOfOne) endCheaply(socket);',
    to: 'if (isTooMany) endCheaply(socket);',
  },
  {
    name: 'text of a reader is harmless in the log',
    threats: ['T-25'],
    from: String.raw`.replace(/[^\x20-\x7e]/g, '?')`,
    to: '',
  },
  {
    name: 'the private port answers this machine alone',
    threats: ['T-01'],
    from: 'if (!isOwnHost(request, isPrivateNetwork)) return send(response, 403, refusalOf(HOST_REFUSAL));',
    to: '',
  },
  {
    name: 'the private port listens on loopback',
    threats: ['T-01'],
    from: 'host: given.adminHost,',
    to: "host: '0.0.0.0',",
  },
  {
    name: 'TLS is not switched off',
    threats: ['T-03', 'T-66'],
    from: "if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') faults.push(TLS_FAULT);",
    to: '',
  },
  {
    name: 'the service is on https: or loopback',
    threats: ['T-66'],
    from: `return url.protocol === 'https:' || isLoopbackHost(url.hostname);
}

/** An absolute`,
    to: `return true;
}

/** An absolute`,
  },
];

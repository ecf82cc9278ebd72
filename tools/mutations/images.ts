import type { Mutation } from './mutation.ts';

/** What keeps the proxy of charts from being a way in. */
export const IMAGE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'charts come from hosts that are named',
    threats: ['T-50'],
    from: 'if (!hosts.includes(url.host)) return undefined;',
    to: '',
  },
  {
    name: 'hosts are compared exactly, with their port',
    threats: ['T-50'],
    from: 'hosts.includes(url.host)',
    to: 'hosts.some((host) => url.hostname.endsWith(host.replace(/:.*/, "")))',
  },
  {
    name: 'the address that is connected to is public',
    threats: ['T-51'],
    from: "if (!addresses.every(({ address }) => isValid(address))) return callback(new AddressError(), '');",
    to: '',
  },
  {
    name: 'all addresses of a name are judged',
    threats: ['T-51'],
    from: 'addresses.every((',
    to: 'addresses.some((',
  },
  {
    name: 'the proxy looks names up by itself',
    threats: ['T-51'],
    file: 'packages/bff/src/http/image-proxy.ts',
    from: 'lookup: ssrfSafeLookup(resolve)',
    to: '',
  },
  {
    name: 'addresses in disguise are private, too',
    threats: ['T-50', 'T-51'],
    from: "return isIP(address) !== 0 && ipaddr.parse(address).range() === 'unicast';",
    to: String.raw`return isIP(address) !== 0 && !/^(127|10|192\.168)\./.test(address);`,
  },
  {
    name: 'no connection is kept past its judgement',
    threats: ['T-51'],
    from: 'keepAlive: false',
    to: 'keepAlive: true',
  },
  {
    name: 'the host of images hears nothing of the reader',
    threats: ['T-04'],
    from: 'request.headers = { ...REQUEST_HEADERS };',
    to: "request.headers = { ...REQUEST_HEADERS, 'x-forwarded-for': '192.0.2.1' };",
  },
  {
    name: 'a redirect is no chart',
    threats: ['T-52'],
    from: 'changeOrigin: true,',
    to: 'changeOrigin: true, followRedirects: true,',
  },
  {
    name: 'a chart has status 200',
    threats: ['T-52', 'T-54'],
    from: 'statusCode === 200 && ',
    to: 'statusCode !== 0 && ',
  },
  {
    name: 'a chart says that it is PNG',
    threats: ['T-54'],
    from: "headers['content-type']?.toLowerCase() === 'image/png'",
    to: "headers['content-type']?.toLowerCase().startsWith('image/png')",
  },
  {
    name: 'a chart is not compressed',
    threats: ['T-53'],
    from: ' && isPlain && isValid',
    to: ' && isValid',
  },
  {
    name: 'a length of too much is refused at once',
    threats: ['T-53'],
    from: ' && isPlain && isValid',
    to: ' && isPlain',
  },
  {
    name: 'a chart is 5 MiB at most',
    threats: ['T-53'],
    from: "if (length > LIMIT_BYTES) return failed('upstream_invalid');",
    to: '',
  },
  {
    name: 'a chart begins as every PNG does',
    threats: ['T-54'],
    from: '!bytes.subarray(0, 8).equals(SIGNATURE) || ',
    to: '',
  },
  {
    name: 'a chart has a size that can be decoded',
    threats: ['T-54'],
    from: 'return isSensible && width * height <= MAX_PIXELS;',
    to: 'return isSensible || width >= 0;',
  },
  {
    name: 'the chart of a run is that run’s alone',
    threats: ['T-55'],
    from: 'if (run !== null && run !== pulse.jobRunId)',
    to: "if (run === 'never')",
  },
  {
    name: 'a chart may do nothing in a browser',
    threats: ['T-54'],
    from: '"default-src \'none\'; sandbox",',
    to: '"default-src *",',
  },
  {
    name: 'no answer is sniffed',
    threats: ['T-54'],
    from: "headers.push('X-Content-Type-Options', 'nosniff');",
    to: '',
  },
  {
    name: 'a chart is fetched once for all',
    threats: ['T-55'],
    from: 'this.#underWay.get(name) ?? this.#fetch(name, address)',
    to: 'this.#fetch(name, address)',
  },
  {
    name: 'charts that are fetched at once are bounded',
    threats: ['T-55'],
    from: 'if (this.#running < this.#limits.maxRunning) ',
    to: 'if (this.#running < Infinity) ',
  },
  {
    name: 'charts that wait to be fetched are bounded',
    threats: ['T-55'],
    from: 'if (this.#waiters.size >= maxWaiting) return Promise.resolve(false);',
    to: '',
  },
  {
    name: 'a chart that fails is left alone for a while',
    threats: ['T-55'],
    from: '? 0 : FAILURE_TTL_MS',
    to: '? 0 : 1',
  },
];

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError, configSchema, readConfig, unknownVariables, type Variables } from './config.ts';

const KEY = 'canary-key-0123456789';
const required = { PULSE_API_KEY: KEY, PULSE_BASE_URL: 'https://pulses.test' };

function errorOf(variables: Variables, options = {}): ConfigError | undefined {
  try {
    readConfig(variables, options);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

const faultsOf = (variables: Variables): readonly string[] => errorOf(variables)?.faults ?? [];

describe('readConfig() (T-66)', () => {
  it('uses the documented values by default', () => {
    const { rateLimit, rateWindowMs, rateReserve, clientRate, ...config } = readConfig(required);
    assert.deepEqual([rateLimit, rateWindowMs, rateReserve, clientRate], [60, 60_000, 15, 600]);
    assert.deepEqual([config.freshMs, config.staleMs, config.authStaleMs], [15_000, 86_400_000, 600_000]);
    assert.deepEqual([config.drainMs, config.upstreamTimeoutMs, config.history], [5_000, 5_000, 0]);
    assert.deepEqual([config.port, config.adminPort, config.keyReloadMs], [4_020, 4_021, 5_000]);
    assert.deepEqual([config.publicUrl, config.sources], ['http://localhost:4020', { listed: true, ids: [] }]);
    assert.deepEqual([config.host, config.adminHost, config.logLevel], ['0.0.0.0', '127.0.0.1', 'info']);
    assert.deepEqual([config.allowedOrigins, [...config.expose]], [[], []]);
    assert.deepEqual([config.access, config.cache, config.images], ['public', 'public', 'direct']);
    assert.deepEqual([config.trustProxy, config.allowHttpUpstream], [0, false]);
  });

  it('treats every blank variable as unset, including PULSE_PUBLIC_URL', () => {
    const blank = Object.fromEntries(Object.keys(configSchema.shape).map((name) => [name, ' ']));
    assert.deepEqual(readConfig({ ...blank, ...required }), readConfig(required));
    assert.equal(readConfig({ ...required, PULSE_PUBLIC_URL: ' ' }).hasPublicUrl, false);
    assert.equal(readConfig({ ...required, PULSE_PUBLIC_URL: 'https://cards.test' }).hasPublicUrl, true);
  });

  it('reports all errors together, one per line, without values', () => {
    const faults = faultsOf({ PULSE_BASE_URL: 'http://canary.test', PORT: 'canary', LOG_LEVEL: 'canary' });
    const names = faults.map((fault) => fault.split(':')[0]);
    assert.deepEqual(names, ['PORT', 'LOG_LEVEL', 'PULSE_BASE_URL', 'PULSE_API_KEY']);
    assert.doesNotMatch(faults.join('\n'), /canary/);
  });

  it('removes the trailing slash from a URL', () => {
    const baseUrl = readConfig({ ...required, PULSE_BASE_URL: 'https://pulses.test/api/' }).baseUrl;
    assert.equal(baseUrl, 'https://pulses.test/api');
  });

  describe('with PULSE_ALLOW_HTTP_UPSTREAM=true', () => {
    const allowed = { ...required, PULSE_ALLOW_HTTP_UPSTREAM: 'true' };
    for (const host of ['10.0.0.5:4010', '100.64.0.1:4010', '[fd00::1]:4010', 'service:4010', 'v1'])
      it(`accepts http://${host}, and warns that the key is sent unencrypted`, () => {
        const config = readConfig({ ...allowed, PULSE_BASE_URL: `http://${host}` });
        assert.equal(config.baseUrl, `http://${host}`);
        assert.match(config.warnings.join(), /^PULSE_BASE_URL uses http:/);
      });

    it('rejects an IP address that isn’t private', () => {
      const faults = faultsOf({ ...allowed, PULSE_ALT_BASE_URL: 'http://8.8.8.8:4010' });
      assert.match(faults.join(), /^PULSE_ALT_BASE_URL: must be https:/);
    });

    it('doesn’t warn if the service is reached over https: or on loopback', () => {
      assert.deepEqual(readConfig(allowed).warnings, []);
      assert.deepEqual(readConfig({ ...required, PULSE_BASE_URL: 'http://127.0.0.1:4010' }).warnings, []);
    });
  });

  it('accepts values of any type, as applications pass them', () => {
    const config = readConfig({ ...required, PORT: 5_000, PULSE_ALLOW_HTTP_UPSTREAM: true, PULSE_STATE_DIR: null });
    assert.equal(config.publicUrl, 'http://localhost:5000');
    assert.deepEqual([config.port, config.allowHttpUpstream, config.stateDir], [5_000, true, undefined]);
  });

  it('limits the drain to 5 s, because a stop must end within 10 s', () =>
    assert.equal(readConfig({ ...required, PULSE_DRAIN_MS: '600000' }).drainMs, 5_000));

  it('understands on and off', () => {
    const isOn = (text: string) => readConfig({ ...required, PULSE_ALLOW_HTTP_UPSTREAM: text }).allowHttpUpstream;
    assert.deepEqual(['on', 'off'].map(isOn), [true, false]);
  });

  it('parses origins, sources, fields, and proxies as lists', () => {
    const config = readConfig({
      ...required,
      PULSE_ALLOWED_ORIGINS: 'https://a.test, https://b.test:8443',
      PULSE_SOURCES: 'listed,src_a',
      PULSE_EXPOSE: 'link,organization',
      TRUST_PROXY: '10.0.0.0/8,192.0.2.7,::1',
      PULSE_ADMIN_HOSTS: 'status.test.',
    });
    assert.deepEqual(config.allowedOrigins, ['https://a.test', 'https://b.test:8443']);
    assert.deepEqual(config.sources, { listed: true, ids: ['src_a'] });
    assert.deepEqual([...config.expose], ['link', 'organization']);
    assert.deepEqual(config.trustProxy, ['10.0.0.0/8', '192.0.2.7/32', '::1/128']);
    assert.deepEqual(config.adminHosts, ['status.test']);
  });

  const refused: [name: string, variables: Variables, variable: string][] = [
    ['a key with a line break inside', { PULSE_API_KEY: 'abcdefgh\r\nX: y' }, 'PULSE_API_KEY'],
    ['two keys', { PULSE_API_KEY_FILE: '/run/key' }, 'PULSE_API_KEY_FILE'],
    ['an opt-in that is neither true nor false', { PULSE_ALLOW_HTTP_UPSTREAM: 'yes' }, 'PULSE_ALLOW_HTTP_UPSTREAM'],
    ['a URL that ends in /v1', { PULSE_BASE_URL: 'https://pulses.test/v1' }, 'PULSE_BASE_URL'],
    ['a URL without a scheme', { PULSE_BASE_URL: 'pulses.test' }, 'PULSE_BASE_URL'],
    ['a URL with a username', { PULSE_BASE_URL: 'https://u:p@pulses.test' }, 'PULSE_BASE_URL'],
    ['a URL with a fragment', { PULSE_BASE_URL: 'https://pulses.test/#a' }, 'PULSE_BASE_URL'],
    ['a URL with an empty query', { PULSE_BASE_URL: 'https://pulses.test/?' }, 'PULSE_BASE_URL'],
    ['a URL with a line break inside', { PULSE_BASE_URL: 'https://pulses.test:44\n3' }, 'PULSE_BASE_URL'],
    ['T-03: plain http beyond loopback', { PULSE_ALT_BASE_URL: 'http://pulses.test' }, 'PULSE_ALT_BASE_URL'],
    ['a fraction', { PULSE_FRESH_MS: '1.5' }, 'PULSE_FRESH_MS'],
    ['the same port for both servers', { PORT: '5000', PULSE_ADMIN_PORT: '5000' }, 'PULSE_ADMIN_PORT'],
    ['an origin with a path', { PULSE_ALLOWED_ORIGINS: 'https://a.test/' }, 'PULSE_ALLOWED_ORIGINS'],
    ['a proxy with another scheme', { HTTPS_PROXY: 'socks5://proxy.test' }, 'HTTPS_PROXY'],
    ['a star among origins', { PULSE_ALLOWED_ORIGINS: '*,https://a.test' }, 'PULSE_ALLOWED_ORIGINS'],
    ['a wildcard in a URL', { PULSE_PUBLIC_URL: 'https://*.site.test' }, 'PULSE_PUBLIC_URL'],
    ['a host with a port', { HOST: '127.0.0.1:4020' }, 'HOST'],
    ['an invalid id', { PULSE_SOURCES: 'listed,../a' }, 'PULSE_SOURCES'],
    ['a host name of the admin port with a wildcard', { PULSE_ADMIN_HOSTS: '*.status.test' }, 'PULSE_ADMIN_HOSTS'],
    ['a webhook over http:', { PULSE_ALERT_URL: 'http://hooks.example.com/x' }, 'PULSE_ALERT_URL'],
    ['a webhook with a username', { PULSE_ALERT_URL: 'https://user:pass@hooks.example.com' }, 'PULSE_ALERT_URL'],
    ['a day that doesn’t exist', { PULSE_API_KEY_EXPIRES: '2027-02-30' }, 'PULSE_API_KEY_EXPIRES'],
    ['two webhooks', { PULSE_ALERT_URL: 'https://a.test', PULSE_ALERT_URL_FILE: '/hook' }, 'PULSE_ALERT_URL_FILE'],
    ['two URLs for Redis', { REDIS_URL: 'redis://a', REDIS_URL_FILE: '/run/redis' }, 'REDIS_URL_FILE'],
    ['any id', { PULSE_SOURCES: 'any' }, 'PULSE_SOURCES'],
    ['a capitalized keyword', { PULSE_SOURCES: 'src_a,Listed' }, 'PULSE_SOURCES'],
    ['an unknown field', { PULSE_EXPOSE: 'email' }, 'PULSE_EXPOSE'],
    ['an image host with a path', { PULSE_IMAGE_HOSTS: 'cdn.test/charts' }, 'PULSE_IMAGE_HOSTS'],
    ['an image host with a wildcard', { PULSE_IMAGE_HOSTS: '*.cdn.test' }, 'PULSE_IMAGE_HOSTS'],
    ['a reserve that leaves nothing', { PULSE_RATE_RESERVE: '60' }, 'PULSE_RATE_RESERVE'],
    ['trust in every proxy', { TRUST_PROXY: 'true' }, 'TRUST_PROXY'],
    ['a number of proxies among their IP addresses', { TRUST_PROXY: '1,10.0.0.0/8' }, 'TRUST_PROXY'],
    ['disabled certificate checks', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 'NODE_TLS_REJECT_UNAUTHORIZED'],
    ['access by token without keys', { PULSE_ACCESS: 'token' }, 'PULSE_TOKEN_KEYS_FILE'],
    ['keys of tokens that are not needed', { PULSE_TOKEN_KEYS_FILE: '/k' }, 'PULSE_TOKEN_KEYS_FILE'],
  ];

  for (const [name, variables, variable] of refused) {
    it(`rejects ${name}, and the error doesn’t quote it (T-10)`, () => {
      const faults = faultsOf({ ...required, ...variables });
      const names = faults.map((fault) => fault.split(':')[0]);
      assert.deepEqual(names, [variable]);
      assert.doesNotMatch(faults.join(), /abcdefgh|hooks|pulses\.test/);
    });
  }

  it('rejects * if access requires tokens', () => {
    const faults = faultsOf({ ...required, PULSE_ACCESS: 'token', PULSE_ALLOWED_ORIGINS: '*' });
    assert.ok(faults.includes('PULSE_ALLOWED_ORIGINS: must not be * when PULSE_ACCESS is token'));
  });
});

describe('PULSE_ALLOWED_ORIGINS', () => {
  it('deduplicates the origins', () => {
    const origins = 'https://www.example.com,http://[::1]:4030,capacitor://localhost,https://*.preview.example.com';
    const { allowedOrigins } = readConfig({ ...required, PULSE_ALLOWED_ORIGINS: `${origins}, ${origins}` });
    assert.deepEqual(allowedOrigins, origins.split(','));
  });

  it('can be *, even with spaces around it', () =>
    assert.equal(readConfig({ ...required, PULSE_ALLOWED_ORIGINS: ' * ' }).allowedOrigins, '*'));

  it('reports the position of an invalid item without quoting it', () => {
    const [message = ''] = faultsOf({ ...required, PULSE_ALLOWED_ORIGINS: 'https://a.test, https://*.canary' });
    assert.match(message, /^PULSE_ALLOWED_ORIGINS: item 2 has a wildcard that isn’t allowed/);
    assert.doesNotMatch(message, /canary/);
  });
});

describe('HTTPS_PROXY, HTTP_PROXY, NO_PROXY', () => {
  it('can be uppercase or lowercase, and lowercase takes precedence', () => {
    const { proxies } = readConfig({
      ...required,
      HTTPS_PROXY: 'http://a.test',
      https_proxy: 'b.test:3128',
      NO_PROXY: 'x',
    });
    assert.deepEqual(proxies, { http: undefined, https: 'http://b.test:3128/', no: 'x' });
    assert.deepEqual(unknownVariables({ http_proxy: 'x', no_proxy: 'x' }), []);
  });
});

describe('readConfig() of a mounted router', () => {
  it('doesn’t require ports', () => {
    const config = readConfig({ ...required, HOST: 'a:b', PORT: '4021', PULSE_ADMIN_HOST: '?' }, { isMounted: true });
    assert.deepEqual([config.adminHosts, config.isMounted], [[], true]);
  });

  it('distinguishes missing variables from invalid ones and reports misspelled ones', () => {
    const missing = errorOf({ PULSE_BASEURL: 'x' }, { isMounted: true });
    assert.equal(missing?.isIncomplete, true);
    const message = missing?.message ?? '';
    assert.match(message, /PULSE_BASE_URL: is required\n.*PULSE_API_KEY.*\n.*did you mean PULSE_BASE_URL\?/s);
    assert.equal(errorOf({ PULSE_HISTORY: '-1' }, { isMounted: true })?.isIncomplete, false);
    assert.equal(errorOf({ PULSE_CACHE: 'shared' }, { isMounted: true })?.isIncomplete, false);
  });
});

interface VariableFacts {
  readonly type: string;
  readonly example: string;
  readonly range?: readonly [min: number, max: number];
  readonly fallback?: string;
}

describe('configSchema', () => {
  for (const [name, schema] of Object.entries(configSchema.shape))
    it(`describes ${name} with a valid example, its type, and its range`, () => {
      const { type, example, range, fallback } = schema.meta() as unknown as VariableFacts;
      assert.ok(type);
      assert.ok(schema.safeParse(example).success, example);
      if (fallback !== undefined) assert.deepEqual(schema.safeParse(fallback).data, schema.safeParse(undefined).data);
      if (range === undefined) return;
      const isValid = (value: number) => schema.safeParse(String(value)).success;
      assert.deepEqual([range[0] - 1, ...range, range[1] + 1].map(isValid), [false, true, true, false]);
    });
});

describe('PULSE_ALERT_URL', () => {
  for (const url of ['https://hooks.example.com/T0/secret?x', 'https://10.0.0.7/hook', 'http://127.0.0.1:9/hook'])
    it(`accepts ${url}`, () => assert.equal(readConfig({ ...required, PULSE_ALERT_URL: url }).alertUrl?.reveal(), url));
});

describe('REDIS_URL', () => {
  for (const url of ['redis://host', 'rediss://user:p%40ss@[::1]:6380/2', 'redis://127.0.0.1:6379/'])
    it(`accepts ${url}`, () =>
      assert.equal(readConfig({ ...required, REDIS_URL: url }).redisUrl?.reveal(), new URL(url).href));

  for (const url of ['http://host', 'redis:host', 'redis://host/db', 'redis://host?tls=1', 'redis://:pass%@host'])
    it(`rejects ${url}`, () =>
      assert.deepEqual(faultsOf({ ...required, REDIS_URL: url }), [
        'REDIS_URL: must be a redis: or rediss: URL such as redis://host:6379/0',
      ]));
});

describe('unknownVariables()', () => {
  for (const [name, nearest] of [
    ['PULSE_ALOWED_ORIGINS', 'PULSE_ALLOWED_ORIGINS'],
    ['PULSE_BASEURL', 'PULSE_BASE_URL'],
    ['PULSE_REDIS_URL', 'REDIS_URL'],
    ['PULSE_ORIGIN', 'PULSE_ALLOWED_ORIGINS'],
    ['PULSE_KEY', 'PULSE_API_KEY'],
    ['PULSE_STATE', 'PULSE_STATE_DIR'],
    ['PULSE_HOST', 'HOST'],
    ['PULSE_FROB', 'PULSE_EXPOSE'],
    ['PULSE_SECRET_SAUCE', 'PULSE_CLIENT_RATE'],
  ] as const)
    it(`suggests ${nearest} for ${name}, without its value`, () => {
      const line = `${name} isn’t a variable of pulse-bff; did you mean ${nearest}?`;
      assert.deepEqual(unknownVariables({ ...required, [name]: 'canary' }), [line]);
    });

  for (const [name, nearest] of [
    ['REDIS_URI', 'REDIS_URL'],
    ['REDISURL', 'REDIS_URL'],
    ['redis_url', 'REDIS_URL'],
    ['REDIS_URL_FIEL', 'REDIS_URL_FILE'],
    ['TRUSTED_PROXIES', 'TRUST_PROXY'],
    ['LOG_LEVLE', 'LOG_LEVEL'],
    ['API_KEY_FILE', 'PULSE_API_KEY_FILE'],
  ] as const) {
    it(`suggests ${nearest} for ${name}, unless ${nearest} is set`, () => {
      const line = `${name} isn’t a variable of pulse-bff; did you mean ${nearest}?`;
      assert.deepEqual(unknownVariables({ [name]: 'canary' }), [line]);
      assert.deepEqual(unknownVariables({ [name]: 'canary', [nearest]: 'x' }), []);
    });
  }

  it('ignores other programs’ variables', () => {
    const others =
      'HOME PULSE_DATA_DIR PULSE_SERVICE_PORT PULSEAUDIO HOST PORT HOSTNAME PATH PWD USER SHELL LANG LOGNAME LOG_FILE LOG_DIR REDIS_HOST REDIS_PORT HTTP_PROXY NO_PROXY NODE_ENV SOURCES CACHE ACCESS IMAGES API_TOKEN';
    assert.deepEqual(unknownVariables(Object.fromEntries(others.split(' ').map((name) => [name, 'x']))), []);
  });

  it('ignores an empty variable', () => assert.deepEqual(unknownVariables({ PULSE_BASEURL: '' }), []));
});

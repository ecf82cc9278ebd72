import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError, readDatabaseConfig, readServeConfig, serveVariables, unknownVariableWarnings } from './config.ts';

describe('readServeConfig()', () => {
  it('requires nothing: every variable has a default', () => {
    assert.deepEqual(readServeConfig({}), {
      dataDir: '.data',
      databaseUrl: undefined,
      host: '0.0.0.0',
      port: 4010,
      altPort: 4011,
      publicUrl: undefined,
      adminUrl: undefined,
      rateLimit: 60,
      rateWindowMs: 60_000,
      trustProxy: undefined,
      logLevel: 'info',
    });
  });

  it('treats an empty variable as unset', () => {
    assert.equal(readServeConfig({ PORT: '', DATABASE_URL: ' ' }).port, 4010);
  });

  it('removes the trailing slash from a URL', () => {
    assert.equal(
      readServeConfig({ PUBLIC_URL: 'https://pulse.example.com/base/' }).publicUrl,
      'https://pulse.example.com/base',
    );
  });

  it('accepts 0 (any free port) for both ports', () => {
    const { port, altPort } = readServeConfig({ PORT: '0', ALT_PORT: '0' });
    assert.deepEqual([port, altPort], [0, 0]);
  });

  it('accepts proxies as a hop count or as IP addresses', () => {
    assert.equal(readServeConfig({ TRUST_PROXY: '1' }).trustProxy, 1);
    assert.equal(readServeConfig({ TRUST_PROXY: 'off' }).trustProxy, 0);
    assert.deepEqual(readServeConfig({ TRUST_PROXY: '10.0.0.0/8, ::1' }).trustProxy, ['10.0.0.0/8', '::1']);
  });

  it('rejects the same port for both hosts', () => {
    assert.throws(
      () => readServeConfig({ PORT: '5000', ALT_PORT: '5000' }),
      new ConfigError(['ALT_PORT: must differ from PORT']),
    );
  });

  it('reports the variable in each error, but never the value', () => {
    const bad: [variable: string, value: string][] = [
      ...['-1', '65536', '80.5', 'http', '0x50', '1e3'].map((value): [string, string] => ['PORT', value]),
      ['ALT_PORT', 'canary'],
      ...[
        'canary',
        'ftp://canary',
        '//canary',
        'https://user:canary@host',
        'https://host/?canary',
        'https://ho st/canary',
      ].map((value): [string, string] => ['PUBLIC_URL', value]),
      ['PULSE_ADMIN_URL', 'canary'],
      ['DATABASE_URL', 'mysql://canary:canary@host/db'],
      ['PULSE_RATE_LIMIT', '0'],
      ['PULSE_RATE_LIMIT', 'canary'],
      ['PULSE_RATE_WINDOW_MS', '1.5'],
      ...['canary', '10.0.0.0/99', '10.0.0.0/8/8', 'true'].map((value): [string, string] => ['TRUST_PROXY', value]),
      ['LOG_LEVEL', 'canary'],
    ];
    for (const [variable, value] of bad) {
      assert.throws(
        () => readServeConfig({ [variable]: value }),
        (error) => {
          assert.ok(error instanceof ConfigError);
          assert.equal(error.faults.length, 1, `${variable}=${value}`);
          assert.ok(error.message.startsWith(`${variable}: must `), error.message);
          assert.ok(!error.message.includes('canary') && !error.message.includes('\n'), error.message);
          return true;
        },
        `${variable}=${value}`,
      );
    }
  });

  it('reports all errors together', () => {
    assert.throws(
      () => readServeConfig({ PORT: 'x', LOG_LEVEL: 'y' }),
      (error) => error instanceof ConfigError && error.faults.length === 2,
    );
  });
});

describe('readDatabaseConfig()', () => {
  it('ignores the server’s variables', () => {
    assert.deepEqual(readDatabaseConfig({ PORT: 'nonsense' }), { dataDir: '.data', databaseUrl: undefined });
  });

  it('accepts both schemes of a PostgreSQL URL', () => {
    for (const scheme of ['postgres', 'postgresql']) {
      const url = `${scheme}://user:pass@localhost:5432/pulse`;
      assert.equal(readDatabaseConfig({ DATABASE_URL: url }).databaseUrl, url);
    }
  });
});

describe('unknownVariableWarnings()', () => {
  it('suggests the nearest variable for a misspelled name', () => {
    for (const [name, nearest] of [
      ['PULSE_DATADIR', 'PULSE_DATA_DIR'],
      ['DATABSE_URL', 'DATABASE_URL'],
      ['PUBLIC_ULR', 'PUBLIC_URL'],
      ['ALTPORT', 'ALT_PORT'],
      ['TRUSTED_PROXY', 'TRUST_PROXY'],
      ['LOGLEVEL', 'LOG_LEVEL'],
    ] as const)
      for (const also of [{}, { PULSE_BASE_URL: 'canary' }])
        assert.deepEqual(unknownVariableWarnings({ [name]: 'canary', ...also }), [
          `${name} isn’t a variable of pulse-service; did you mean ${nearest}?`,
        ]);
  });

  it('reports any other PULSE_ variable, unless the environment also configures a BFF', () => {
    const env = { PULSE_FRESH_MS: '1000' };
    assert.match(unknownVariableWarnings(env).join(), /^PULSE_FRESH_MS isn’t a variable of pulse-service/);
    assert.deepEqual(unknownVariableWarnings({ ...env, PULSE_BASE_URL: 'http://localhost:4010' }), []);
  });

  it('ignores other programs’ variables, and names that nearly match a variable that is set', () => {
    assert.deepEqual(unknownVariableWarnings({ DATABASE_URL: 'x', DATABASE_URI: 'x' }), []);
    const others =
      'HOST PORT PATH PWD HOSTNAME APP_PORT PUBLIC_KEY PUBLIC_DIR DATABASE_HOST HTTP_PROXY NO_PROXY LOG_FILE';
    assert.deepEqual(unknownVariableWarnings(Object.fromEntries(others.split(' ').map((name) => [name, 'x']))), []);
  });
});

describe('serveVariables', () => {
  it('describes every variable', () => {
    for (const [name, schema] of Object.entries(serveVariables.shape)) assert.ok(schema.meta()?.description, name);
  });
});

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ConfigError } from '../config.ts';
import type { Variables } from '../config-variables.ts';
import { explainTokenFor, type MintOptions, mintTokenFor } from './token.ts';

const folder = mkdtempSync(join(tmpdir(), 'pulse-bff-'));
const environment = { PULSE_TOKEN_KEYS_FILE: join(folder, 'keys.json'), PULSE_PUBLIC_URL: 'https://pulse.test/cards/' };
const pair = generateKeyPairSync('ed25519');
const octets = Buffer.alloc(40, 255);
before(() => {
  const jwk = { ...pair.publicKey.export({ format: 'jwk' }), kid: 'pair' };
  const oct = { kty: 'oct', kid: 'octets', k: octets.toString('base64url') };
  const secrets = [{ kid: 'portal', secret: 'canary-secret-of-32-bytes-and-more' }];
  writeFileSync(environment.PULSE_TOKEN_KEYS_FILE, JSON.stringify({ keys: [jwk, oct], secrets }));
  writeFileSync(join(folder, 'private.pem'), pair.privateKey.export({ format: 'pem', type: 'pkcs8' }));
});
after(() => rmSync(folder, { recursive: true }));

describe('mintTokenFor()', () => {
  const privateKey = join(folder, 'private.pem');
  const keys: Record<string, MintOptions> = {
    'the first shared secret': {},
    'a shared secret by its name': { kid: 'portal' },
    'octets of a JWKS': { kid: 'octets' },
    'a private key': { kid: 'pair', privateKey },
  };
  for (const [what, key] of Object.entries(keys)) {
    it(`mints with ${what} what explain accepts`, async () => {
      const use = { source: ['src_1', 'src_2'], origin: ['https://portal.test'], lifetime: '60' };
      const token = await mintTokenFor(environment, { ...key, ...use });
      const { lines, isAccepted } = await explainTokenFor(environment, `Bearer ${token}\n`);
      assert.equal(isAccepted, true, lines.join('\n'));
      assert.ok(lines.includes('Audience: https://pulse.test/cards'));
      assert.ok(lines.includes('Sources: src_1, src_2'));
      assert.ok(lines.includes('Origins: https://portal.test'));
    });
  }

  it('names who reads', async () => {
    const token = await mintTokenFor(environment, { allSources: true, subject: 'user-7' });
    const { lines } = await explainTokenFor(environment, token);
    assert.ok(lines.includes('Subject: user-7'));
  });

  it('mints for all sources', async () => {
    const { lines } = await explainTokenFor(environment, await mintTokenFor(environment, { allSources: true }));
    assert.ok(lines.includes('Sources: *'));
  });

  const all = { allSources: true };
  const refused: readonly (readonly [why: string, options: MintOptions, fault: RegExp, variables?: Variables])[] = [
    ['neither sources nor all', {}, /^Name --source or --all-sources$/],
    ['a lifetime that is none', { ...all, lifetime: 'long' }, /^--lifetime: must be a whole number from 1 to 600$/],
    ['a secret that is not there', { ...all, kid: 'none' }, /^PULSE_TOKEN_KEYS_FILE: holds no shared secret "none"/],
    ['a private key without a name', { ...all, privateKey }, /^--private-key needs --kid/],
    ['a private key that is not there', { ...all, kid: 'a', privateKey: '/none' }, /^--private-key: must be a file/],
    ['no keys', all, /^PULSE_TOKEN_KEYS_FILE: is required/, {}],
    ['keys that are not there', all, /^PULSE_TOKEN_KEYS_FILE: is no file that/, { PULSE_TOKEN_KEYS_FILE: '/none' }],
  ];
  for (const [why, options, fault, variables = environment] of refused) {
    it(`refuses ${why}, and shows no secret`, async () => {
      await assert.rejects(
        mintTokenFor(variables, options),
        (error: Error) =>
          error instanceof ConfigError && fault.test(error.message) && !error.message.includes('canary'),
      );
    });
  }
});

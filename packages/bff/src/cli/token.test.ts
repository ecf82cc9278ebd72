import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { ConfigError } from '../config/config.ts';
import type { Variables } from '../config/variables.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { explainTokenFor, type MintOptions, mintTokenFor } from './token.ts';

const folder = temporaryFolder();
after(() => folder.remove());
const pair = generateKeyPairSync('ed25519');
const jwk = { ...pair.publicKey.export({ format: 'jwk' }), kid: 'pair' };
const oct = { kty: 'oct', kid: 'octets', k: Buffer.alloc(40, 255).toString('base64url') };
const secrets = [{ kid: 'portal', secret: 'canary-secret-of-32-bytes-and-more' }];
const PULSE_TOKEN_KEYS_FILE = folder.file('keys.json', JSON.stringify({ keys: [jwk, oct], secrets }));
const environment = { PULSE_TOKEN_KEYS_FILE, PULSE_PUBLIC_URL: 'https://pulse.test/cards/' };
const privateKey = folder.file('private.pem', String(pair.privateKey.export({ format: 'pem', type: 'pkcs8' })));

describe('mintTokenFor()', () => {
  for (const [what, key] of [
    ['the first shared secret', {}],
    ['a shared secret that is given by name', { kid: 'portal' }],
    ['a symmetric key of a JWKS', { kid: 'octets' }],
    ['a private key', { kid: 'pair', privateKey }],
  ] as const)
    it(`mints a token with ${what} that the explain command accepts`, async () => {
      const use = { source: ['src_1', 'src_2'], origin: ['https://portal.test'], lifetime: '60' };
      const token = await mintTokenFor(environment, { ...key, ...use });
      const { lines, isAccepted } = await explainTokenFor(environment, `Bearer ${token}\n`);
      assert.equal(isAccepted, true, lines.join('\n'));
      const said = ['Audience: https://pulse.test/cards', 'Sources: src_1, src_2', 'Origins: https://portal.test'];
      for (const line of said) assert.ok(lines.includes(line), line);
    });

  it('mints a token that is for all sources and names the reader', async () => {
    const token = await mintTokenFor(environment, { allSources: true, subject: 'user-7' });
    const { lines } = await explainTokenFor(environment, token);
    assert.ok(lines.includes('Subject: user-7') && lines.includes('Sources: *'));
  });

  const all = { allSources: true };
  const refused: readonly (readonly [why: string, options: MintOptions, fault: RegExp, variables?: Variables])[] = [
    ['a missing list of sources', {}, /^Specify --source or --all-sources$/],
    ['an invalid lifetime', { ...all, lifetime: 'long' }, /^--lifetime: must be a whole number from 1 to 600$/],
    ['an unknown secret', { ...all, kid: 'none' }, /^PULSE_TOKEN_KEYS_FILE: contains no shared secret "none"/],
    ['a private key without a name', { ...all, privateKey }, /^--private-key needs --kid/],
    ['a missing private key', { ...all, kid: 'a', privateKey: '/none' }, /^--private-key: must be a file/],
    ['no keys', all, /^PULSE_TOKEN_KEYS_FILE: is required/, {}],
    ['a missing key file', all, /^PULSE_TOKEN_KEYS_FILE: cannot be read/, { PULSE_TOKEN_KEYS_FILE: '/none' }],
  ];
  for (const [why, options, fault, variables = environment] of refused) {
    it(`rejects ${why}, and shows no secret`, async () => {
      await assert.rejects(
        mintTokenFor(variables, options),
        (error: Error) =>
          error instanceof ConfigError && fault.test(error.message) && !error.message.includes('canary'),
      );
    });
  }
});

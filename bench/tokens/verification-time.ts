import { createPublicKey, createSecretKey, type webcrypto } from 'node:crypto';
import { jwtVerify } from 'jose';
import { readTokenKeys } from '../../packages/bff/src/access/token-keys.ts';
import { TokenVerifier } from '../../packages/bff/src/access/token-verifier.ts';
import { AUDIENCE, KEYS_FILE, privateKey, SHARED_SECRET } from '../../packages/bff/src/testing/forged-tokens.ts';
import { type MintingKey, mintToken } from '../../packages/bff/src/token.ts';
import { median } from '../report/table.ts';

/** How long one way of verifying takes. */
export interface Timed {
  readonly name: string;
  readonly medianUs: number;
  readonly p99Us: number;
  readonly perSecond: number;
}

interface Contestant {
  readonly name: string;
  readonly verify: (token: string) => Promise<unknown> | object | undefined;
}

/** Tokens of one contestant before the next has its turn. */
const ROUND = 500;

/** Times the verification of `count` tokens, for each algorithm and way. */
export async function timeVerification(count: number): Promise<readonly Timed[]> {
  const secret = createSecretKey(Buffer.from(SHARED_SECRET)).toCryptoKey(HMAC, false, ['verify']);
  const publicKey = createPublicKey(privateKey).toCryptoKey({ name: 'Ed25519' }, false, ['verify']);
  return [
    ...(await timeAll('HS256', { kid: 'shared', secret: SHARED_SECRET }, secret, count)),
    ...(await timeAll('EdDSA', { kid: 'pair', privateKey }, publicKey, count)),
  ];
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

async function timeAll(
  algorithm: string,
  key: MintingKey,
  bareKey: webcrypto.CryptoKey,
  count: number,
): Promise<Timed[]> {
  const tokens = await minted(key, count);
  const ring = readTokenKeys(KEYS_FILE);
  const verifier = new TokenVerifier({ ring: () => ring, audience: AUDIENCE, wallNow: Date.now });
  const contestants: Contestant[] = [
    { name: `${algorithm}, jose alone`, verify: (token) => jwtVerify(token, bareKey, { algorithms: [algorithm] }) },
    { name: `${algorithm}, at first sight`, verify: (token) => verifier.verify(token) },
    { name: `${algorithm}, seen before`, verify: (token) => verifier.known(token) },
  ];
  for (const { verify } of contestants) for (const token of await minted(key, ROUND)) await verify(token);
  const times = contestants.map(() => [] as number[]);
  for (let at = 0; at < count; at += ROUND) {
    const round = tokens.slice(at, at + ROUND);
    for (const [which, { verify }] of contestants.entries()) times[which]?.push(...(await timeEach(round, verify)));
  }
  return contestants.map(({ name }, which) => figuresOf(name, times[which] ?? []));
}

async function timeEach(tokens: readonly string[], verify: Contestant['verify']): Promise<number[]> {
  const times: number[] = [];
  for (const token of tokens) {
    const startedAt = performance.now();
    const verified = verify(token);
    if (verified === undefined || typeof (verified instanceof Promise ? await verified : verified) === 'string')
      throw new Error('Cannot time it: a good token was refused');
    times.push((performance.now() - startedAt) * 1_000);
  }
  return times;
}

function figuresOf(name: string, times: readonly number[]): Timed {
  const sorted = times.toSorted((a, b) => a - b);
  const total = times.reduce((sum, time) => sum + time, 0);
  const p99Us = sorted[Math.floor(sorted.length * 0.99)] ?? NaN;
  return { name, medianUs: median(times), p99Us, perSecond: (times.length / total) * 1_000_000 };
}

function minted(key: MintingKey, count: number): Promise<string[]> {
  const use = { audience: AUDIENCE, sources: ['src_1', 'src_2', 'src_3'], lifeSeconds: 600 };
  return Promise.all(Array.from({ length: count }, () => mintToken(key, use)));
}

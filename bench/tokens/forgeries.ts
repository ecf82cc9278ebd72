import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AUDIENCE,
  forge,
  forgedTokens,
  goodParts,
  KEYS_FILE,
  PORTAL,
} from '../../packages/bff/src/testing/forged-tokens.ts';
import { BffProcess } from '../process/bff-process.ts';
import { spawnUpstream } from '../upstream/spawn-upstream.ts';

/** What came of asking with one token. */
export interface Asked {
  readonly name: string;
  readonly status: number;
  readonly code: string;
  /** Requests that reached the upstream meanwhile. */
  readonly calls: number;
  /** Calls that the budget counts as used meanwhile. */
  readonly spent: number;
}

interface Question {
  readonly name: string;
  readonly path?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A source of the upstream. Forged tokens name another one, `src_1`: whoever is let in with them spends a call, and gets 404. */
const SOURCE = 'src_001';

/** Asks a BFF with every forged token, with good ones where they do not belong, and at the end with one where it does. */
export async function askWithForgeries(): Promise<{ rows: readonly Asked[]; good: Asked }> {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-bench-tokens-'));
  const keysFile = join(folder, 'keys.json');
  writeFileSync(keysFile, KEYS_FILE);
  const upstream = await spawnUpstream({ sources: 2, changeEveryMs: [3_600_000, 3_600_000] });
  const env = {
    PULSE_ACCESS: 'token',
    PULSE_TOKEN_KEYS_FILE: keysFile,
    PULSE_PUBLIC_URL: AUDIENCE,
    PULSE_ALLOWED_ORIGINS: PORTAL,
    PULSE_SOURCES: 'any',
    PULSE_FRESH_MS: '3600000',
  };
  const bff = await BffProcess.start({ upstream, env });
  const used = async (): Promise<number> => {
    const status = (await (await fetch(`${bff.adminUrl}/status`)).json()) as { budget: { used: number } };
    return status.budget.used;
  };

  async function ask({ name, path = `/v1/sources/${SOURCE}/pulse`, headers }: Question): Promise<Asked> {
    const [callsBefore, usedBefore] = [(await upstream.arrivals()).length, await used()];
    const answer = await fetch(bff.url + path, { headers });
    const { code = '' } = (await answer.json()) as { code?: string };
    const calls = (await upstream.arrivals()).length - callsBefore;
    return { name, status: answer.status, code, calls, spent: (await used()) - usedBefore };
  }

  try {
    const rows: Asked[] = [];
    for (const question of questions()) rows.push(await ask(question));
    return { rows, good: await ask({ name: '(a good token, in the end)', headers: bearer(goodToken()) }) };
  } finally {
    await bff.stop();
    await upstream.close();
    rmSync(folder, { recursive: true });
  }
}

function questions(): Question[] {
  const forged = Object.entries(forgedTokens(nowSeconds())).map(([name, token]) => ({
    name,
    path: '/v1/sources/src_1/pulse',
    headers: bearer(token),
  }));
  const good = goodToken();
  return [
    { name: 'no token', headers: {} },
    { name: 'a good token in the address', path: `/v1/sources/${SOURCE}/pulse?token=${good}`, headers: {} },
    { name: 'a good token in a cookie', headers: { Cookie: `token=${good}` } },
    { name: 'a good token under Basic', headers: { Authorization: `Basic ${good}` } },
    ...forged,
    { name: 'a good token for another source', path: '/v1/sources/src_002/pulse', headers: bearer(good) },
    { name: 'a good token for another page', headers: { ...bearer(goodToken([PORTAL])), Origin: AUDIENCE } },
    { name: 'a good token for a page, and no page', headers: bearer(goodToken([PORTAL])) },
    { name: 'a good token on a page that is not allowed', headers: { ...bearer(good), Origin: 'https://evil.test' } },
    { name: 'a good token for another source, live', path: '/v1/events?ids=src_002', headers: bearer(good) },
  ];
}

function goodToken(origins?: readonly string[]): string {
  const { shared, claims } = goodParts(nowSeconds());
  return forge(shared, { ...claims, sources: [SOURCE], ...(origins && { origins }) });
}

/** What a header can't hold is left out of it. */
function bearer(token: string): { Authorization: string } {
  return { Authorization: `Bearer ${token.replace(/[^\x20-\x7e]/g, '')}` };
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

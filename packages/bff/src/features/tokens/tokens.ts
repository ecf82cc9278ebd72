import {
  type AccessGrant,
  parseTokenKeys,
  type TokenKeySet,
  TokenKeysError,
  type TokenRefusal,
  TokenVerifier,
} from '@pulse-card/token';
import type { Request } from 'express';
import { type Config, ConfigError } from '../../config.ts';
import { ApiError } from '../../http/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { originsOf } from '../../lib/ip-address.ts';
import { type Log, onceAMinute } from '../../lib/log.ts';
import { fileFault } from '../../lib/secret-file.ts';
import { WatchedFile } from '../../lib/watched-file.ts';

/** Access by token (`PULSE_ACCESS=token`). */
export interface Tokens {
  /** What the token of a request allows. Rejects with an `ApiError` if the request has no valid token. */
  check(req: Request): Promise<Pick<AccessGrant, 'sources' | 'reader'>>;
  /** The keys that are in use. */
  readonly keySet: TokenKeySet;
  /** Reads the keys again. A file that can't be read keeps its last content. */
  reload(): Promise<void>;
  close(): void;
}

type TokensConfig = Pick<Config, 'access' | 'tokenKeysFile' | 'publicUrl' | 'keyReloadMs'>;

interface TokensParts {
  readonly log: Log;
  readonly clock: Clock;
}

/** Opens the keys that verify tokens. Rejects with a `ConfigError` if their file isn't valid at startup. */
export async function openTokens(config: TokensConfig, { log, clock }: TokensParts): Promise<Tokens | undefined> {
  const { access, tokenKeysFile: path, publicUrl, keyReloadMs } = config;
  if (access === 'public') return undefined;
  if (path === undefined) throw new ConfigError(['PULSE_TOKEN_KEYS_FILE: is required when PULSE_ACCESS is token']);
  let text = '';
  let keySet: TokenKeySet | undefined;
  let verifier: TokenVerifier | undefined;
  let lastFault: string | undefined;
  const use = async (content: Buffer) => {
    if (verifier !== undefined && content.toString() === text) return;
    keySet = await parseTokenKeys(content.toString());
    verifier = new TokenVerifier({ keySet, audience: publicUrl, wallNow: () => clock.wallNow() });
    text = content.toString();
  };
  const onRead = (error: unknown) => {
    const fault = error === undefined ? undefined : faultOf(error, path);
    if (verifier === undefined) lastFault = fault;
    else if (fault !== undefined && fault !== lastFault)
      log.warn(`PULSE_TOKEN_KEYS_FILE: ${fault}. The previous keys stay in use`);
    lastFault = fault;
  };
  const file = new WatchedFile(path, { clock, everyMs: keyReloadMs, use, onRead });
  await file.reload();
  if (verifier === undefined) {
    file.close();
    throw new ConfigError([`PULSE_TOKEN_KEYS_FILE: ${lastFault}`]);
  }
  const explain = refusalLog({ log, clock });
  const ownOrigins = originsOf(publicUrl);
  return {
    check: async (req) =>
      allowedBy(await grantOf(req, verifier as TokenVerifier, explain), req, { ownOrigins, explain }),
    get keySet() {
      return keySet as TokenKeySet;
    },
    reload: () => file.reload(),
    close: () => file.close(),
  };
}

function faultOf(error: unknown, path: string): string {
  return error instanceof TokenKeysError ? error.message : fileFault(error, path);
}

type Explain = (refusal: Omit<TokenRefusal, 'reason'> & { readonly reason: string }) => void;

/** Says once a minute, for each reason, why a token was rejected. The line never contains the token. */
function refusalLog({ log, clock }: TokensParts): Explain {
  const isDue = onceAMinute(clock);
  return ({ reason, expected, found }) => {
    if (isDue(reason)) log.logger.warn({ reason, expected, found }, 'A token was rejected');
  };
}

async function grantOf(req: Request, verifier: TokenVerifier, explain: Explain): Promise<AccessGrant> {
  const token = bearerOf(req);
  if (token === undefined) throw new ApiError('token_missing');
  const result = await verifier.verify(token);
  if (result.ok) return result.grant;
  explain(result);
  throw new ApiError('token_invalid', { detail: result.reason });
}

/** Browsers send no origin with same-origin requests. The token must then be for one of the BFF's own origins. */
function allowedBy(
  grant: AccessGrant,
  { headers: { origin } }: Request,
  { ownOrigins, explain }: { readonly ownOrigins: readonly string[]; readonly explain: Explain },
): AccessGrant {
  const from = origin === undefined ? ownOrigins : [origin];
  if (grant.origins === undefined || grant.origins.some((each) => from.includes(each))) return grant;
  explain({ reason: 'origin', expected: `a page on ${grant.origins.join(', ')}`, found: origin ?? 'no Origin' });
  throw new ApiError('token_forbidden', { detail: 'origin' });
}

/** The token in a request. Only a single `Authorization` header is accepted. */
function bearerOf({ headers, headersDistinct }: Request): string | undefined {
  // If there are two such headers, a server in front may have checked the other one.
  if ((headersDistinct['authorization']?.length ?? 0) > 1) return '';
  return /^bearer(?: +(.*))?$/is.exec(headers.authorization ?? '')?.[1];
}

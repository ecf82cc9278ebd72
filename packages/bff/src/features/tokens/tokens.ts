import {
  parseTokenKeys,
  type TokenAccess,
  type TokenKeySet,
  TokenKeysError,
  type TokenRefusal,
  TokenVerifier,
} from '@pulse-card/token';
import type { Request } from 'express';
import { type Base, type Config, ConfigError } from '../../config.ts';
import { ApiError } from '../../http/errors.ts';
import { originsOf } from '../../lib/ip-address.ts';
import { onceAMinute } from '../../lib/log.ts';
import { fileFault } from '../../lib/secret-file.ts';
import { readRegularFile } from '../../lib/stored-text.ts';
import { watchFile } from '../../lib/watched-file.ts';

/**
 * Opens access by token (`PULSE_ACCESS=token`). Rejects with a `ConfigError` if the key file isn't valid at startup. If
 * the file can't be read later, its previous contents stay in use.
 */
export async function openTokens(config: Config, { log, clock }: Pick<Base, 'log' | 'clock'>) {
  const { access, tokenKeysFile: path, publicUrl, keyReloadMs } = config;
  if (access === 'public') return undefined;
  if (path === undefined) throw new ConfigError(['PULSE_TOKEN_KEYS_FILE: is required when PULSE_ACCESS is token']);
  let keySet = await readTokenKeys(path);
  const file = watchFile(path, {
    clock,
    everyMs: keyReloadMs,
    use: async (content) => void (keySet = await keysIn(content)),
    onRead: (error) => error !== undefined && log.warn(`${faultOf(error)}. The previous keys stay in use`),
  });
  const isDue = onceAMinute(clock);
  // Logs why a token was rejected, at most once a minute for each reason. The line never contains the token.
  const explain = ({ reason, expected, found }: Record<keyof TokenRefusal, string>): void => {
    if (isDue(reason)) log.logger.warn({ reason, expected, found }, 'A token was rejected');
  };
  const ownOrigins = originsOf(publicUrl);
  return {
    /** The permissions that a request's token grants. Rejects with an `ApiError` if the request has no valid token. */
    async check(req: Request): Promise<Pick<TokenAccess, 'sources' | 'reader'>> {
      const token = bearerOf(req);
      if (token === undefined) throw new ApiError('token_missing');
      const verifier = new TokenVerifier({ keySet, audience: publicUrl, wallNow: () => clock.wallNow() });
      const result = await verifier.verify(token);
      if (!result.ok) {
        explain(result);
        throw new ApiError('token_invalid', { detail: result.reason });
      }
      const { origin } = req.headers;
      const { origins } = result.access;
      // Browsers don't send an origin with same-origin requests. The token must then be for one of the BFF's own
      // origins.
      const from = origin === undefined ? ownOrigins : [origin];
      if (origins === undefined || origins.some((each) => from.includes(each))) return result.access;
      explain({ reason: 'origin', expected: `a page on ${origins.join(', ')}`, found: origin ?? 'no Origin' });
      throw new ApiError('token_forbidden', { detail: 'origin' });
    },
    /** The keys in use. */
    get keySet() {
      return keySet;
    },
    ...file,
  };
}

/** The keys in `PULSE_TOKEN_KEYS_FILE`. Rejects with a `ConfigError` if the file can't be read or isn't valid. */
export async function readTokenKeys(path: string): Promise<TokenKeySet> {
  try {
    return await keysIn(await readRegularFile(path));
  } catch (error) {
    throw new ConfigError([faultOf(error)]);
  }
}

function keysIn(content: Buffer): Promise<TokenKeySet> {
  return parseTokenKeys(content.toString());
}

/** Why the file can't be used. */
function faultOf(error: unknown): string {
  return `PULSE_TOKEN_KEYS_FILE: ${error instanceof TokenKeysError ? error.message : fileFault(error)}`;
}

/** The token in a request. Only a single `Authorization` header is accepted. */
function bearerOf({ headers, headersDistinct }: Request): string | undefined {
  // If there are two of these headers, a server in front of the BFF might have checked the other one.
  if ((headersDistinct?.['authorization']?.length ?? 0) > 1) return '';
  return /^bearer(?: +(.*))?$/is.exec(headers.authorization ?? '')?.[1];
}

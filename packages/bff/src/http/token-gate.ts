import type { IncomingMessage } from 'node:http';
import { Permit } from '../access/permit.ts';
import type { ImageCapabilities } from '../access/image-capabilities.ts';
import type { TokenVerdict, TokenVerifier } from '../access/token-verifier.ts';
import { decodedSegment } from './decoded-segment.ts';
import type { Exchange } from './exchange.ts';
import { refuseToken } from './refuse-token.ts';

/** What lets readers in where access is by token. */
export interface TokenGateParts {
  readonly verifier: TokenVerifier;
  /** Undefined where browsers load charts by themselves. */
  readonly images: ImageCapabilities | undefined;
  /** The origins of the BFF's own pages: browsers name none when these ask. */
  readonly ownOrigins: readonly string[];
}

/** Lets a reader in and notes what they may see, or answers 401 or 403 and says false; before any cache is looked at. */
export type TokenGate = (exchange: Exchange) => boolean | Promise<boolean>;

const CHART = /^\/v1\/sources\/([^/]+)\/image$/;

/** Makes the gate in front of everything that a token is needed for. */
export function tokenGate({ verifier, images, ownOrigins }: TokenGateParts): TokenGate {
  function enter(exchange: Exchange, verdict: TokenVerdict): boolean {
    if (typeof verdict === 'string') return refuseToken(exchange, 'token_invalid', verdict);
    const { origin } = exchange.request.headers;
    if (!verdict.admits(origin === undefined ? ownOrigins : [origin])) {
      return refuseToken(exchange, 'token_forbidden', 'origin');
    }
    exchange.permit = verdict;
    return true;
  }

  function enterByAddress(exchange: Exchange, sourceId: string): boolean {
    const endsAtMs = images?.endOf(sourceId, exchange.query);
    if (endsAtMs === undefined) return refuseToken(exchange, 'token_invalid', 'address');
    exchange.permit = new Permit([sourceId], '*', endsAtMs);
    return true;
  }

  return (exchange) => {
    exchange.isPrivate = true;
    const chart = images && signedChart(exchange);
    if (chart !== undefined) return enterByAddress(exchange, chart);
    const token = bearerOf(exchange.request);
    if (token === undefined) return refuseToken(exchange, 'token_missing');
    const permit = verifier.known(token);
    if (permit !== undefined) return enter(exchange, permit);
    return verifier.verify(token).then((verdict) => enter(exchange, verdict));
  };
}

/** The source of the chart that is asked for by an address with a signature. */
function signedChart({ path, query }: Exchange): string | undefined {
  const segment = CHART.exec(path)?.[1];
  return segment !== undefined && new URLSearchParams(query).has('sig') ? decodedSegment(segment) : undefined;
}

/** The token of a request: in its one `Authorization` header, and nowhere else. */
function bearerOf({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const token = /^bearer(?: +(.*))?$/is.exec(headers.authorization ?? '')?.[1];
  const count = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'authorization').length;
  // Of two, another server on the way may have read the other one.
  return count > 1 ? '' : token;
}

import { createMcpHandler, localhostAllowedHostnames, validateHostHeader } from '@modelcontextprotocol/server';
import { isExactOrigin, isPlainHost } from '@pulse-card/contract';
import { bffAddress } from './bff-client.ts';
import { createPulseServer } from './mcp-server.ts';
import { checkedToken, TokenError } from './token.ts';

/** Settings for `mcpHandler()`. */
export interface McpHandlerOptions {
  /** The public URL of the BFF. */
  readonly bff: string;
  /**
   * The token for private pulses, or a function that returns the token for a request. With a fixed token, everyone who
   * can reach the handler sees the token's sources.
   */
  readonly token?: string | ((request: Request) => string | undefined | Promise<string | undefined>);
  /**
   * Origins of web pages that may call the handler, such as `https://chat.example.com`. Requests without `Origin` are
   * always allowed.
   */
  readonly allowedOrigins: readonly string[];
  /** Host names, without a port, at which the handler may be reached. @default loopback names */
  readonly allowedHosts?: readonly string[];
}

/** Responds to a request from an MCP client. */
export type McpHandler = (request: Request) => Promise<Response>;

/** Creates a handler for MCP over stateless HTTP. Throws `TypeError` for an invalid or unknown option. */
export function mcpHandler(options: McpHandlerOptions): McpHandler {
  checkOptions(options);
  const { token, allowedOrigins, allowedHosts = localhostAllowedHostnames() } = options;
  const bff = bffAddress('bff', options.bff, token !== undefined);
  const { fetch } = createMcpHandler(({ requestInfo }) => {
    const read = token === undefined ? undefined : () => tokenFor(token, requestInfo as Request);
    return createPulseServer({ bff, token: read });
  });
  return async (request) => {
    const { headers, url, method } = request;
    const origin = headers.get('Origin');
    if (!validateHostHeader(headers.get('Host') ?? new URL(url).host, [...allowedHosts]).ok)
      return refusal('This host is not in allowedHosts');
    if (origin === null) return fetch(request);
    if (!allowedOrigins.includes(origin)) return refusal('This origin is not in allowedOrigins');
    const answer = method === 'OPTIONS' ? new Response(null, { status: 204 }) : await fetch(request);
    return readableBy(origin, answer, headers.get('Access-Control-Request-Headers') ?? '');
  };
}

async function tokenFor(token: NonNullable<McpHandlerOptions['token']>, request: Request): Promise<string | undefined> {
  if (typeof token === 'string') return token;
  const result = await (async () => token(request))().catch(() => {
    throw new TokenError('the function token of mcpHandler() failed');
  });
  return result === undefined ? undefined : checkedToken(result);
}

const NAMES = ['bff', 'token', 'allowedOrigins', 'allowedHosts'];

/** A misspelled option must not grant access to the handler. */
function checkOptions({ token, allowedOrigins, allowedHosts = [], ...options }: McpHandlerOptions): void {
  const unknown = Object.keys(options).find((name) => !NAMES.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`${unknown} isn’t an option of mcpHandler(), which takes ${NAMES.join(', ')}`);
  if (!Array.isArray(allowedOrigins) || !allowedOrigins.every(isExactOrigin))
    throw new TypeError('allowedOrigins must be an array of origins, such as https://chat.example.com');
  if (!Array.isArray(allowedHosts) || !allowedHosts.every(isPlainHost))
    throw new TypeError('allowedHosts must be an array of host names without a port, such as mcp.example.com');
  if (token !== undefined && typeof token !== 'function') checkToken(token);
}

function checkToken(token: unknown): void {
  try {
    checkedToken(token);
  } catch (error) {
    throw new TypeError(`token: ${(error as TokenError).message}`, { cause: error });
  }
}

/** A rejection in JSON-RPC format. */
function refusal(message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }, { status: 403 });
}

/** Lets a page on an allowed origin read the response and send the headers that its client asks for. */
function readableBy(origin: string, { status, headers: own, body }: Response, sendable: string): Response {
  const headers = new Headers(own);
  headers.set('Access-Control-Allow-Origin', origin);
  headers.set('Access-Control-Allow-Headers', sendable);
  headers.set('Access-Control-Expose-Headers', '*');
  headers.append('Vary', 'Origin');
  return new Response(body, { status, headers });
}

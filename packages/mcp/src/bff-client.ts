import { isLoopbackHost } from '@pulse-card/contract';
import type { z } from 'zod';
import { type BffOutcome, type BffSource, pulsesBody, sourcesBody } from './bff-answers.ts';
import { BffError, bffErrorOf } from './bff-error.ts';

/** The maximum size of a chart in a response. The BFF sends at most 5 MiB. */
const MAX_CHART_BYTES = 750_000;

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** Matches text that can be a BFF's URL. `URL` alone would drop line breaks and encode spaces. */
const BFF_URL = /^https?:\/\/[^\s\p{Cc}]+$/iu;

/** The BFF to read pulses from. */
export interface BffOptions {
  /** The URL that `bffAddress()` returns. */
  readonly bff: string;
  /** Returns the token for private pulses. Called once per tool call. */
  readonly token?: (() => Promise<string | undefined>) | undefined;
  /** @default the global `fetch` */
  readonly fetch?: typeof fetch;
  /** How long a tool call may take, in milliseconds. @default 10000 */
  readonly timeoutMs?: number;
}

/** The requests for one tool call, with one token. They reject with `BffError`. */
export class BffClient {
  /**
   * The base URL of the sources' pages. Undefined if the pulses are private, because readers couldn't open their pages.
   */
  readonly #pages: string | undefined;
  readonly #request: (path: string) => Promise<Response>;

  constructor(options: BffOptions, token: string | undefined, canceled: AbortSignal) {
    const { bff, fetch = globalThis.fetch, timeoutMs = 10_000 } = options;
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const signal = AbortSignal.any([canceled, AbortSignal.timeout(timeoutMs)]);
    this.#pages = token === undefined ? `${bff}/embed` : undefined;
    // A redirect must not send the token to a different host.
    this.#request = (path) => fetch(bff + path, { headers, redirect: 'error', signal }).catch(networkError);
  }

  /** The sources in the list. */
  async sources(): Promise<readonly BffSource[]> {
    return (await this.#read('/v1/sources', sourcesBody)).sources;
  }

  /** The outcome for each ID. */
  async pulses(ids: readonly string[]): Promise<readonly BffOutcome[]> {
    return (await this.#read(`/v1/pulses?ids=${ids.join(',')}`, pulsesBody)).pulses;
  }

  /** A run's chart as base64. Undefined if it is too large or can't be loaded. */
  async chart(sourceId: string, run: string): Promise<string | undefined> {
    try {
      const response = await this.#request(`/v1/sources/${sourceId}/image?run=${run}`);
      const bytes = Buffer.from(await response.arrayBuffer());
      const isPng = response.status === 200 && bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE);
      return isPng && bytes.length <= MAX_CHART_BYTES ? bytes.toString('base64') : undefined;
    } catch {
      return undefined;
    }
  }

  /** A source's page, which anyone can open. Undefined if the pulses are private. */
  pageOf(sourceId: string): string | undefined {
    return this.#pages && `${this.#pages}/${sourceId}`;
  }

  async #read<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
    const response = await this.#request(path);
    const body: unknown = await response.json().catch((error) => error instanceof SyntaxError || networkError(error));
    if (response.status !== 200) throw bffErrorOf(response, body);
    const { success, data } = schema.safeParse(body);
    if (!success) throw new BffError('invalid_answer');
    return data;
  }
}

/**
 * A BFF's URL, without a trailing slash. Throws a `TypeError` that names the option if the URL is invalid, or if a
 * token must not be sent to it.
 */
export function bffAddress(option: string, given: unknown, hasToken: boolean): string {
  const url = typeof given === 'string' && BFF_URL.test(given) ? URL.parse(given) : null;
  if (url === null || url.username + url.password + url.search + url.hash !== '')
    throw new TypeError(`${option}: must be the public URL of a BFF, such as https://pulse.example.com`);
  if (hasToken && url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    throw new TypeError(`${option}: must begin with https:, because a token is sent there`);
  return url.href.replace(/\/+$/, '');
}

function networkError(error: unknown): never {
  throw new BffError(error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'network');
}

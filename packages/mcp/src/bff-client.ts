import { isLoopbackHost } from '@pulse-card/contract';
import type { z } from 'zod';
import { BffError, bffErrorOf } from './bff-error.ts';
import { type BffOutcome, type BffSource, pulsesBody, sourcesBody } from './bff-answers.ts';

/** How long the BFF may take, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** The longest list or batch that is read; the BFF sends at most half of it. */
const MAX_JSON_BYTES = 4_194_304;

/** The largest chart that becomes part of an answer. */
export const MAX_CHART_BYTES = 750_000;

/** The BFF whose pulses are read. */
export interface BffClientOptions {
  /** As `bffAddress()` returns it. */
  readonly bff: string;
  /** Returns the token for private pulses. Called before each tool call. */
  readonly token?: (() => Promise<string | undefined>) | undefined;
  /** @default the global one */
  readonly fetch?: typeof fetch;
}

/** Reads the public answers of a BFF. Each method rejects with `BffError`. */
export class BffClient {
  readonly #options: BffClientOptions;

  constructor(options: BffClientOptions) {
    this.#options = options;
  }

  /** The requests of one tool call, with one token. */
  async open(signal: AbortSignal): Promise<BffReader> {
    const { bff, token, fetch = globalThis.fetch } = this.#options;
    return new BffReader({ bff, token: await token?.(), fetch, signal });
  }
}

interface BffReaderOptions {
  readonly bff: string;
  readonly token: string | undefined;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}

/** Reads the BFF with one token. */
export class BffReader {
  readonly #options: BffReaderOptions;

  constructor(options: BffReaderOptions) {
    this.#options = options;
  }

  /** The sources of the list. */
  async sources(): Promise<readonly BffSource[]> {
    return (await this.#json('/v1/sources', sourcesBody)).sources;
  }

  /** The outcome for each id. */
  async pulses(ids: readonly string[]): Promise<readonly BffOutcome[]> {
    return (await this.#json(`/v1/pulses?ids=${ids.map(encodeURIComponent).join(',')}`, pulsesBody)).pulses;
  }

  /** The chart of a run as base64. Undefined if it is too large or can't be loaded. */
  async chart(sourceId: string, run: string): Promise<string | undefined> {
    const path = `/v1/sources/${encodeURIComponent(sourceId)}/image?run=${encodeURIComponent(run)}`;
    try {
      const response = await this.#get(path);
      const isPng = response.headers.get('Content-Type') === 'image/png';
      const bytes = await bodyOf(response, response.status === 200 && isPng ? MAX_CHART_BYTES : 0);
      return bytes?.length ? bytes.toString('base64') : undefined;
    } catch {
      return undefined;
    }
  }

  /** The page of a source, which anyone can open. Undefined if the pulses are private. */
  pageOf(sourceId: string): string | undefined {
    const { bff, token } = this.#options;
    return token === undefined ? `${bff}/embed/${encodeURIComponent(sourceId)}` : undefined;
  }

  async #json<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
    const response = await this.#get(path);
    const body = await bodyOf(response, MAX_JSON_BYTES).then(parsedJson).catch(networkError);
    if (response.status !== 200) throw bffErrorOf(response, body);
    const parsed = schema.safeParse(body);
    if (!parsed.success) throw new BffError('invalid_answer');
    return parsed.data;
  }

  async #get(path: string): Promise<Response> {
    const { bff, token, fetch, signal } = this.#options;
    return fetch(bff + path, {
      headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
      // Another host must not get the token.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    }).catch(networkError);
  }
}

/** The address of a BFF, without a slash at its end. Throws `TypeError`, which names the option, if it is none or no place for a token. */
export function bffAddress(option: string, given: unknown, hasToken: boolean): string {
  const url = typeof given === 'string' && /^https?:\/\//i.test(given) ? URL.parse(given) : null;
  if (url === null || url.username + url.password + url.search + url.hash !== '')
    throw new TypeError(`${option}: must be the public address of a BFF, such as https://pulse.example.com`);
  if (hasToken && url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    throw new TypeError(`${option}: must begin with https:, because a token is sent there`);
  return url.href.replace(/\/+$/, '');
}

function networkError(error: unknown): never {
  throw new BffError(error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'network');
}

/** The bytes of a body; undefined if there are more than `limitBytes`. */
async function bodyOf({ body }: Response, limitBytes: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the rest.
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > limitBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parsedJson(bytes: Buffer | undefined): unknown {
  try {
    return JSON.parse(bytes?.toString() ?? '');
  } catch {
    return undefined;
  }
}

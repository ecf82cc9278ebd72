import assert from 'node:assert/strict';
import { errorBodySchema, pulseBodySchema, RATE_LIMIT_HEADERS, sourcesBodySchema } from '@pulse-card/contract';

/** Paths that aren't in the specification. */
const UNCOUNTED = /^\/(charts\/|healthz|admin\/sources\/.)/;

/** A response whose body has been read. */
export interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
  /** The body as JSON; undefined if it isn't JSON. */
  json: unknown;
}

/** Reads a response and checks what the API guarantees for every response. */
export async function readAnswer(method: string, path: string, response: Response): Promise<Answer> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type') === 'application/json; charset=utf-8';
  const json: unknown = isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined;
  const answer = { status: response.status, headers: response.headers, bytes, json };
  checkHeaders(path, answer);
  if (method !== 'HEAD') checkBody(path, answer);
  return answer;
}

function checkHeaders(path: string, { headers }: Answer): void {
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('x-powered-by'), null);
  const isCounted = !UNCOUNTED.test(path);
  for (const name of Object.values(RATE_LIMIT_HEADERS)) {
    assert.match(headers.get(name) ?? 'none', isCounted ? /^\d+$/ : /^none$/, `${name} of ${path}`);
  }
}

function checkBody(path: string, { status, json, headers }: Answer): void {
  if (status >= 400) return void errorBodySchema.parse(json);
  if (path.endsWith('/pulse')) return void pulseBodySchema.parse(json);
  if (path === '/v1/sources') return void sourcesBodySchema.parse(json);
  assert.match(headers.get('content-type') ?? '', /^(application\/json|application\/yaml|image\/png|text\/html)/);
}

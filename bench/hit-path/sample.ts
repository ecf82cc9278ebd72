import { request } from 'undici';

/** The bytes and headers of an answer, as they crossed the wire. */
export interface Sample {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBase64: string;
}

/** Headers that a server writes by itself. */
const OF_THE_CONNECTION = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

/** Takes an answer without decoding it. */
export async function takeSample(url: string, headers: Readonly<Record<string, string>>): Promise<Sample> {
  const answer = await request(url, { headers });
  const body = Buffer.from(await answer.body.arrayBuffer());
  const cached = Object.entries(answer.headers).filter(([name]) => !OF_THE_CONNECTION.has(name));
  return {
    status: answer.statusCode,
    headers: Object.fromEntries(cached.map(([name, value]) => [name, String(value)])),
    bodyBase64: body.toString('base64'),
  };
}

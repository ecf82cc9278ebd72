import { createImageProxy } from '../../packages/bff/src/http/image-proxy.ts';
import type { RecordingHost } from './recording-host.ts';

/** What a name led to, one question after another. */
const ANSWERS: readonly (readonly string[])[] = [
  ['203.0.113.9', '127.0.0.1'],
  ['127.0.0.1'],
  ['::1'],
  ['::ffff:127.0.0.1'],
  ['10.0.0.7'],
  ['169.254.169.254'],
  ['100.64.0.1'],
  ['64:ff9b::7f00:1'],
];

/** What came of asking for a chart on a name that leads there. */
export interface Rebinding {
  readonly led: string;
  readonly outcome: string;
  readonly connections: number;
}

/** Asks the BFF's own proxy for a chart, with a resolver that turns: no other process can be given one. */
export async function rebindings(host: RecordingHost): Promise<Rebinding[]> {
  const found: Rebinding[] = [];
  for (const answer of ANSWERS) {
    const before = host.connections();
    const fetchImage = createImageProxy({
      resolve: (_name, resolved) =>
        resolved(
          null,
          answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        ),
    });
    const outcome = await fetchImage(new URL(`http://cdn.test:${host.port}/good`));
    found.push({
      led: answer.join(', '),
      outcome: outcome.ok ? 'passed on' : outcome.code,
      connections: host.connections() - before,
    });
  }
  return found;
}

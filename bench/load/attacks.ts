import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { randomFrom } from '@pulse-card/testkit/random';

/** The number of responses that attackers received, by status. */
export type Answers = Readonly<Record<string, number>>;

/** An attack on the server at `port` of the loopback interface. */
export interface Attack {
  readonly title: string;
  readonly run: (port: number) => Promise<Answers>;
}

const PULSE = '/v1/sources/src_001/pulse';
const head = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: pulse.test\r\n${more}\r\n`;

/** Methods, paths, and bytes that no well-behaved client sends. */
const CORPUS: readonly string[] = [
  head(PULSE, 'Range: bytes=0-,1-,2-\r\n'),
  head(`${PULSE}?${'a=1&'.repeat(1_500)}`),
  head('/v1/sources/%2e%2e%2fadmin/pulse'),
  head(`/v1/sources/${'%41'.repeat(1_000)}/pulse`),
  head(`/v1/pulses?ids=${Array.from({ length: 50 }, (_, at) => `no_${at}`).join(',')}`),
  head('/v1/pulses?ids=__proto__,constructor'),
  head(`/${'a/'.repeat(3_000)}`),
  head(PULSE, 'Host: evil.test\r\n'),
  head(PULSE, 'Content-Length: 5\r\n'),
  head(PULSE, 'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n'),
  head(PULSE, `X-A: ${'b'.repeat(9_000)}\r\n`),
  head(PULSE, 'Origin: https://evil.test\r\n'),
  `TRACE ${PULSE} HTTP/1.1\r\nHost: a\r\n\r\n`,
  `PURGE ${PULSE} HTTP/1.1\r\nHost: a\r\n\r\n`,
  `GET http://evil.test${PULSE} HTTP/1.1\r\nHost: evil.test\r\n\r\n`,
  'GET / HTTP/3.0\r\n\r\n',
  '\x16\x03\x01\x02\0\x01\0\r\n\r\n',
  '\0'.repeat(2_000),
];

/** All attacks, keyed by their names in the figures. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'slow-headers': {
    title: 'slow requests: 1,000 sockets that each send one header per second and never finish their request',
    run: (port) =>
      openSockets(port, 1_000, 20, {
        begin: (socket) => socket.write(`GET ${PULSE} HTTP/1.1\r\nHost: a\r\n`),
        goOn: (socket) => socket.write('X-A: b\r\n'),
      }),
  },
  'random-ids': {
    title: 'requests for 100,000 unknown ids over 50 connections',
    run: (port) => {
      const random = randomFrom(7);
      const name = (): string => Math.floor(random.even() * 2 ** 48).toString(36);
      const ask = (): string => head(`/v1/sources/x_${name()}/pulse`);
      return openSockets(port, 50, 120, { begin: (socket) => askInTurns(socket, 2_000, ask) });
    },
  },
  corpus: {
    title: 'malformed and hostile requests, repeated over 100 sockets',
    run: (port) => {
      const random = randomFrom(11);
      return rushesInTurn(port, 100, 12, () => CORPUS[Math.floor(random.even() * CORPUS.length)] ?? '');
    },
  },
};

/** Sends a given number of requests, each after the previous response. */
function askInTurns(socket: Socket, turns: number, text: () => string): void {
  let left = turns;
  const ask = (): void => {
    if (left === 0) return void socket.end();
    left -= 1;
    socket.write(text());
  };
  socket.on('data', ask);
  ask();
}

/** Opens one burst of connections after another for `seconds`. Returns the responses to all of them. */
async function rushesInTurn(port: number, count: number, seconds: number, text: () => string): Promise<Answers> {
  const until = performance.now() + seconds * 1_000;
  const answers: Record<string, number> = {};
  while (performance.now() < until) {
    const rush = await openSockets(port, count, 5, { begin: (socket) => socket.write(text(), 'latin1') });
    for (const [status, times] of Object.entries(rush)) answers[status] = (answers[status] ?? 0) + times;
  }
  return answers;
}

/** How each socket in a burst behaves: what it does once it is connected, and every second after that. */
interface Behavior {
  readonly begin: (socket: Socket) => void;
  readonly goOn?: (socket: Socket) => void;
}

/** Connects `count` sockets that behave alike and stay open for `seconds`, or until the server closes them. */
async function openSockets(port: number, count: number, seconds: number, { begin, goOn }: Behavior): Promise<Answers> {
  const answers: Record<string, number> = {};
  let ended = 0;
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1', () => begin(socket));
    socket.on('error', () => {});
    socket.on('close', () => (ended += 1));
    return socket.on('data', (chunk: Buffer) => {
      for (const [, status = ''] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g))
        answers[status] = (answers[status] ?? 0) + 1;
    });
  });
  const ticking = setInterval(() => {
    for (const socket of sockets) if (socket.writable && !socket.connecting) goOn?.(socket);
  }, 1_000);
  const until = performance.now() + seconds * 1_000;
  const isLeft = (): boolean => performance.now() < until && ended < count;
  while (isLeft()) await pause(100);
  clearInterval(ticking);
  for (const socket of sockets) socket.destroy();
  return answers;
}

// Runs in a separate process, so that its CPU time doesn't count as the server's. `attacks.ts NAME PORT` prints the
// figures as JSON.
if (process.argv[1] === import.meta.filename) {
  const [name = '', port = ''] = process.argv.slice(2);
  console.log(JSON.stringify(await ATTACKS[name]!.run(Number(port))));
}

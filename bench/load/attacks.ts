import type { Socket } from 'node:net';
import { randomFrom } from '../simulator/random.ts';
import { type SocketFigures, openSockets } from './hostile-sockets.ts';

/** An attack on the server at `port` of loopback. */
export interface Attack {
  readonly title: string;
  readonly run: (port: number) => Promise<SocketFigures>;
}

const PULSE = '/v1/sources/src_001/pulse';
const head = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: pulse.test\r\n${more}\r\n`;

/** Verbs, paths and bytes that no well-behaved client sends. */
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

/** Every attack, by the name that it has in figures. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'slow-headers': {
    title: '1,000 sockets that write a header a second and never end',
    run: (port) =>
      openSockets(port, 1_000, 20, {
        begin: (socket) => socket.write(`GET ${PULSE} HTTP/1.1\r\nHost: a\r\n`),
        goOn: (socket) => socket.write('X-A: b\r\n'),
      }),
  },
  'never-reading': {
    title: '1,000 sockets that ask a hundred times for ten pulses and never read',
    run: (port) => {
      const page = head(
        `/v1/pulses?ids=${Array.from({ length: 10 }, (_, at) => `src_${String(at + 1).padStart(3, '0')}`).join(',')}`,
      ).repeat(100);
      return openSockets(port, 1_000, 75, { begin: (socket) => socket.write(page), reads: false });
    },
  },
  pipelining: {
    title: '50 sockets that ask 900 times without waiting, again and again',
    run: (port) => rushesInTurn(port, 50, 10, () => head(PULSE).repeat(899) + head(PULSE, 'Connection: close\r\n')),
  },
  'random-ids': {
    title: '100,000 ids that nobody knows, over 50 connections',
    run: (port) => {
      const random = randomFrom(7);
      const name = (): string => Math.floor(random.even() * 2 ** 48).toString(36);
      const ask = (): string => head(`/v1/sources/x_${name()}/pulse`);
      return openSockets(port, 50, 120, { begin: (socket) => askInTurns(socket, 2_000, ask) });
    },
  },
  corpus: {
    title: 'malformed and hostile requests from 100 sockets, again and again',
    run: (port) => {
      const random = randomFrom(11);
      return rushesInTurn(port, 100, 12, () => CORPUS[Math.floor(random.even() * CORPUS.length)] ?? '');
    },
  },
};

/** Asks again when it was answered, so many times. */
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

/** Rushes, one after another, for so many seconds; all of them as one. */
async function rushesInTurn(port: number, count: number, seconds: number, text: () => string): Promise<SocketFigures> {
  const until = performance.now() + seconds * 1_000;
  const answers: Record<string, number> = {};
  let [sockets, ended, lastEndedAfterSeconds, readBytes] = [0, 0, 0, 0];
  while (performance.now() < until) {
    const one = await openSockets(port, count, 5, { begin: (socket) => socket.write(text(), 'latin1') });
    for (const [status, times] of Object.entries(one.answers)) answers[status] = (answers[status] ?? 0) + times;
    sockets += one.sockets;
    ended += one.ended;
    readBytes += one.readBytes;
    lastEndedAfterSeconds = Math.max(lastEndedAfterSeconds, one.lastEndedAfterSeconds);
  }
  return { sockets, answers, ended, lastEndedAfterSeconds, readBytes };
}

// In a process of its own, so that its work is not the server's: `attacks.ts NAME PORT` prints its figures as JSON.
if (process.argv[1] === import.meta.filename) {
  const [name = '', port = ''] = process.argv.slice(2);
  console.log(JSON.stringify(await ATTACKS[name]!.run(Number(port))));
}

import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What a rush of sockets went through. */
export interface SocketFigures {
  readonly sockets: number;
  /** Answers by status. */
  readonly answers: Readonly<Record<string, number>>;
  /** Sockets that the server ended, and after how long the last of them, in seconds. */
  readonly ended: number;
  readonly lastEndedAfterSeconds: number;
  /** Bytes that were read. */
  readonly readBytes: number;
}

/** How each socket of a rush behaves. */
export interface Behaviour {
  /** Called once it is connected. */
  readonly begin: (socket: Socket) => void;
  /** Called every second after that. @default nothing */
  readonly goOn?: (socket: Socket) => void;
  /** Reads what comes. @default true */
  readonly reads?: boolean;
}

/** Connects `count` sockets that behave alike and stay for `seconds`, or until the server ends them. */
export async function openSockets(
  port: number,
  count: number,
  seconds: number,
  behaviour: Behaviour,
): Promise<SocketFigures> {
  const { begin, goOn = () => {}, reads = true } = behaviour;
  const answers: Record<string, number> = {};
  const startedAt = performance.now();
  const seen = { ended: 0, lastEndedAfterSeconds: 0, readBytes: 0, isOver: false };
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1', () => begin(socket));
    socket.on('error', () => {});
    socket.on('close', () => {
      if (seen.isOver) return;
      seen.ended += 1;
      seen.lastEndedAfterSeconds = (performance.now() - startedAt) / 1000;
    });
    if (!reads) return socket.pause();
    socket.on('data', (chunk: Buffer) => {
      seen.readBytes += chunk.length;
      for (const [, status = ''] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g))
        answers[status] = (answers[status] ?? 0) + 1;
    });
    return socket;
  });
  const ticking = setInterval(() => {
    for (const socket of sockets) if (socket.writable && !socket.connecting) goOn(socket);
  }, 1_000);
  const until = startedAt + seconds * 1_000;
  const isLeft = (): boolean => performance.now() < until && seen.ended < count;
  while (isLeft()) await pause(100);
  if (!reads) {
    // Only now do they notice that they were ended; when that was they can't say.
    for (const socket of sockets) socket.resume();
    await pause(2_000);
    seen.lastEndedAfterSeconds = Number.NaN;
  }
  seen.isOver = true;
  clearInterval(ticking);
  for (const socket of sockets) socket.destroy();
  const { ended, lastEndedAfterSeconds, readBytes } = seen;
  return { sockets: count, answers, ended, lastEndedAfterSeconds, readBytes };
}

import { connect } from 'node:net';

/** A response as it was received over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends `text` unchanged, and reads until the server closes the connection. */
export function sendRaw(port: number, text: string): Promise<RawAnswer[]> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(answersIn(Buffer.concat(chunks).toString('latin1'))));
  });
}

function answersIn(text: string): RawAnswer[] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3})/)
    .filter((part) => part !== '')
    .map((part) => {
      const [head = '', body = ''] = part.split('\r\n\r\n');
      return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body };
    });
}

/** A GET with `headers` in addition to `Host`. */
export function rawGet(path: string, headers: readonly string[] = []): string {
  return ['GET ' + path + ' HTTP/1.1', 'Host: pulse.test', ...headers, '', ''].join('\r\n');
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';
import { type Fault, WELL } from './fault.ts';

/** A host's callbacks, for the fake service behind it. */
export interface HostScript {
  /** Called for each request unless the simulated failure rejects connections. */
  onRequest(req: IncomingMessage, res: ServerResponse, fault: Fault): void;
  /** Called for each connection that is cut before it could send a request. */
  onCut(): void;
}

/** How a host listens. */
export interface HostOptions {
  /** 0 picks a free port. @default 0 */
  readonly port?: number;
  /** Whether it uses TLS, with `CERTIFICATE`. @default false */
  readonly isSecure?: boolean;
}

/** One of the service's ports. It can cut its connections, and it can be closed and reopened with the same number. */
export class Host {
  readonly #script: HostScript;
  readonly #isSecure: boolean;
  #fault: Fault = WELL;
  #port: number;
  #http: Server | undefined;
  readonly #sockets = new Set<Socket>();
  #tcp: ReturnType<typeof createTcpServer> | undefined;

  constructor(script: HostScript, { port = 0, isSecure = false }: HostOptions = {}) {
    this.#script = script;
    this.#port = port;
    this.#isSecure = isSecure;
  }

  get url(): string {
    return `http${this.#isSecure ? 's' : ''}://127.0.0.1:${this.#port}`;
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Opens the port. */
  async open(): Promise<void> {
    if (this.#tcp?.listening === true) return;
    const answer = (req: IncomingMessage, res: ServerResponse) => this.#script.onRequest(req, res, this.#fault);
    const options = { keepAliveTimeout: 60_000 };
    this.#http = this.#isSecure
      ? createSecureServer({ ...options, cert: CERTIFICATE, key: CERTIFICATE_KEY }, answer)
      : createServer(options, answer);
    const tcp = createTcpServer((socket) => this.#take(socket));
    this.#tcp = tcp;
    await new Promise<void>((resolve, reject) => {
      tcp.once('error', reject);
      tcp.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (tcp.address() as AddressInfo).port;
  }

  /** Starts misbehaving. Closes the open connections if the failure rejects or resets connections. */
  async fail(fault: Fault): Promise<void> {
    this.#fault = fault;
    if (fault.kind === 'reset') this.cut();
    await (fault.kind === 'refuse' ? this.close() : this.open());
  }

  #take(socket: Socket): void {
    socket.on('error', () => undefined);
    if (this.#fault.kind === 'reset') {
      this.#script.onCut();
      socket.resetAndDestroy();
      return;
    }
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    this.#http?.emit('connection', socket);
  }

  /** Resets the open connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Closes the port and all its connections. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      const tcp = this.#tcp;
      this.#tcp = undefined;
      this.cut();
      if (tcp === undefined) resolve();
      else tcp.close(() => resolve());
    });
  }
}

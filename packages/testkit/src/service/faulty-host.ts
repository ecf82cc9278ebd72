import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';

/** A way in which a host of the service can misbehave. */
export type Fault =
  | { readonly kind: 'none' }
  /** The port is closed, so attempts can't be counted. */
  | { readonly kind: 'refuse' }
  /** The connection is accepted, counted, and cut. */
  | { readonly kind: 'reset' }
  /** Every call receives this status with the spec's error body. */
  | { readonly kind: 'status'; readonly status: number }
  /** Calls are accepted and never answered. */
  | { readonly kind: 'hang' }
  /** The headers arrive immediately, and the body arrives byte by byte. */
  | { readonly kind: 'slow-body'; readonly msPerByte: number }
  /** Every call receives 429. `X-RateLimit-Reset` says when that ends, or is missing. */
  | { readonly kind: 'limited'; readonly untilMs?: number }
  /** A gateway answers instead of the service. It sends HTML, with rate headers about its own limits. */
  | { readonly kind: 'gateway'; readonly status: number; readonly limit: string }
  /** A 404 that is not from the service, but from a proxy or a framework in front of it. */
  | { readonly kind: 'foreign-404'; readonly by: 'nginx' | 'fastify' | 'spring' }
  /** The list has rows that can't be read. */
  | { readonly kind: 'odd-rows' }
  /** From now on, the key belongs to a different account. */
  | { readonly kind: 'other-account' }
  /** The status is 200, and the body ends too early. */
  | { readonly kind: 'broken-json' };

/** The host behaves correctly. */
export const WELL: Fault = { kind: 'none' };

/** A host's callbacks, for the fake service behind it. */
export interface HostScript {
  /** Called for each request, unless the simulated failure refuses connections. */
  onRequest(req: IncomingMessage, res: ServerResponse, fault: Fault): void;
  /** Called for each connection that is cut before it could send a request. */
  onCut(): void;
}

/** One of the service's ports. It can cut its connections, and can be closed and reopened with the same number. */
export class FaultyHost {
  readonly #script: HostScript;
  #fault: Fault = WELL;
  #port: number;
  #http: Server | undefined;
  readonly #sockets = new Set<Socket>();
  #tcp: ReturnType<typeof createTcpServer> | undefined;

  constructor(script: HostScript, port = 0) {
    this.#script = script;
    this.#port = port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Opens the port. */
  async open(): Promise<void> {
    if (this.#tcp?.listening === true) return;
    this.#http = createServer({ keepAliveTimeout: 60_000 }, (req, res) =>
      this.#script.onRequest(req, res, this.#fault),
    );
    const tcp = createTcpServer((socket) => this.#take(socket));
    this.#tcp = tcp;
    await new Promise<void>((resolve, reject) => {
      tcp.once('error', reject);
      tcp.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (tcp.address() as AddressInfo).port;
  }

  /** Starts to misbehave. Closes the open connections if the failure refuses or resets connections. */
  async fail(fault: Fault): Promise<void> {
    this.#fault = fault;
    if (fault.kind === 'reset') this.#cutAll();
    await (fault.kind === 'refuse' ? this.close() : this.open());
  }

  #take(socket: Socket): void {
    if (this.#fault.kind === 'reset') {
      this.#script.onCut();
      socket.on('error', () => undefined);
      socket.resetAndDestroy();
      return;
    }
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    this.#http?.emit('connection', socket);
  }

  #cutAll(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Closes the port and all its connections. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      const tcp = this.#tcp;
      this.#tcp = undefined;
      this.#cutAll();
      if (tcp === undefined) resolve();
      else tcp.close(() => resolve());
    });
  }
}

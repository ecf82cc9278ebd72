import { type ClientRequest, get } from 'node:http';

/** What a reader hears of, as it happens; times in ms since 1970, the same clock for all processes of the machine. */
export interface Received {
  opened(atMs: number): void;
  refused(status: number): void;
  /** `changedAtMs`: when the run came into being at the service. */
  pulse(run: string, changedAtMs: number, atMs: number): void;
  ended(): void;
}

/** What a reader asks, and as whom. */
export interface ReaderOptions {
  readonly url: string;
  /** The address that the BFF takes the reader to have, by `X-Forwarded-For`. */
  readonly address: string;
  readonly received: Received;
}

/** A reader of a live stream who comes back as the card does: when told, a little spread, with what it has seen. */
export class Reader {
  readonly #options: ReaderOptions;
  #request: ClientRequest | undefined;
  #lastEventId = '';
  #retryMs = 5_000;
  #hasEnded = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  open(): void {
    const { url, address, received } = this.#options;
    const headers = { 'X-Forwarded-For': address, ...(this.#lastEventId && { 'Last-Event-ID': this.#lastEventId }) };
    const request = get(url, { headers, agent: false }, (response) => {
      if (response.statusCode === 200) received.opened(Date.now());
      else received.refused(response.statusCode ?? 0);
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text = this.#take(text + part)));
      response.on('error', () => {});
      response.on('close', () => this.#ended());
    });
    request.on('error', () => this.#ended());
    this.#request = request;
  }

  leave(): void {
    this.#hasEnded = true;
    this.#request?.destroy();
  }

  /** Records all whole lines; returns what is left. */
  #take(text: string): string {
    const end = text.lastIndexOf('\n') + 1;
    for (const line of text.slice(0, end).split('\n')) {
      if (line.startsWith('id: ')) this.#lastEventId = line.slice(4);
      else if (line.startsWith('retry: ')) this.#retryMs = Number(line.slice(7));
      else if (line.startsWith('data: {"meta"')) this.#pulse(line);
    }
    return text.slice(end);
  }

  #pulse(line: string): void {
    const run = /"jobRunId":"([^"]*)"/.exec(line)?.[1] ?? '';
    const changedAt = /"completedAt":"([^"]*)"/.exec(line)?.[1] ?? '';
    this.#options.received.pulse(run, Date.parse(changedAt), Date.now());
  }

  #ended(): void {
    if (this.#request === undefined || this.#hasEnded) return;
    this.#request = undefined;
    this.#options.received.ended();
    setTimeout(() => this.open(), this.#retryMs * (1 + Math.random() / 2));
  }
}

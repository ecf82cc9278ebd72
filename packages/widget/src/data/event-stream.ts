import type { Bff } from './bff.ts';
import { parseEntry, parseOrFail } from './parse-pulse.ts';
import { retryAfterMsOf, type Success } from './result.ts';

/** Sources that are followed within this time share one connection. */
const GATHER_MS = 1_000;

/** The BFF sends a comment at least every 25 seconds. */
const MAX_SILENCE_MS = 60_000;

/** How soon a stream must begin, and how often followers poll while none does. */
const POLL_MS = 15_000;

/** Someone who wants to hear of new pulses. */
export interface Follower {
  readonly sourceId: string;
  /** The run that is shown; undefined for none. */
  readonly jobRunId: string | undefined;
  onLivePulse(result: Success): void;
  /** Called where no stream can be had. */
  onLivePoll(): void;
}

/** The events of one BFF (`/v1/events`): one connection for all followers, reopened when it ends. */
export class EventStream {
  readonly #bff: Bff;
  readonly #followers = new Set<Follower>();
  #sourceIds = '';
  #connection: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What the server last sent as `retry`, in milliseconds; 0 if the last connection brought nothing. */
  #reconnectMs = 1;

  constructor(bff: Bff) {
    this.#bff = bff;
  }

  /** Adds `follower`, or takes note that it follows another source now. */
  add(follower: Follower): void {
    this.#followers.add(follower);
    this.#reconnectIfChanged();
  }

  delete(follower: Follower): void {
    this.#followers.delete(follower);
    this.#reconnectIfChanged();
  }

  #reconnectIfChanged(): void {
    const sourceIds = this.#listOf(({ sourceId }) => sourceId);
    if (sourceIds === this.#sourceIds) return;
    this.#sourceIds = sourceIds;
    this.#connection?.abort();
    this.#connectIn(GATHER_MS);
  }

  #connectIn(delayMs: number): void {
    clearTimeout(this.#timer);
    if (this.#sourceIds) this.#timer = setTimeout(() => void this.#connect(), delayMs);
  }

  async #connect(): Promise<void> {
    if (!this.#reconnectMs) for (const follower of this.#followers) follower.onLivePoll();
    this.#reconnectMs = 0;
    this.#connection?.abort();
    const { signal } = (this.#connection = new AbortController());
    this.#connectIn(POLL_MS);
    let retryAfterMs = 0;
    try {
      const headers = { 'Last-Event-ID': this.#listOf(({ jobRunId }) => jobRunId ?? '.') };
      const response = await this.#bff.fetch(`/v1/events?ids=${this.#sourceIds}`, { headers, signal });
      retryAfterMs = retryAfterMsOf(response);
      await this.#read(response.body as ReadableStream<BufferSource>);
    } catch {
      // Refused, cut off or aborted; there is always another try.
    }
    if (!signal.aborted) this.#connectIn((this.#reconnectMs || retryAfterMs || POLL_MS) * (1 + Math.random() / 2));
  }

  async #read(body: ReadableStream<BufferSource>): Promise<void> {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = '', chunk; !(chunk = await reader.read()).done;) {
      this.#connectIn(MAX_SILENCE_MS);
      const lines = (text + chunk.value).split('\n');
      text = lines.pop() as string;
      lines.forEach((line) => this.#onLine(line));
    }
  }

  #onLine(line: string): void {
    const [field, value = ''] = line.split(/: (.*)/s);
    if (field === 'retry') this.#reconnectMs = Number(value) || this.#reconnectMs;
    if (field !== 'data') return;
    const result = parseOrFail(() => parseEntry(JSON.parse(value)));
    for (const follower of this.#followers)
      if (result.ok && result.data.sourceId === follower.sourceId) follower.onLivePulse(result);
  }

  /** A fact of each follower, each once, as a list. */
  #listOf(factOf: (follower: Follower) => string): string {
    return [...new Set([...this.#followers].map(factOf))].join();
  }
}

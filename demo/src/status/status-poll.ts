import type { StatusDocument } from '@pulse-card/bff';
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { STUDIO_URL } from '../shell/studio-url.ts';

/** The interval between requests for the status while the page is visible. */
const EVERY_MS = 3_000;

/** The timeout for a request. */
const TIMEOUT_MS = 10_000;

/** Requests the status every few seconds while the page is visible. */
export class StatusPoll implements ReactiveController {
  /** The latest status; undefined until the first one arrives. */
  status: StatusDocument | undefined;
  /** Whether the server failed to respond to the last request. */
  isServerLost = false;
  readonly #host: ReactiveControllerHost;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAsking = false;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    document.addEventListener('visibilitychange', this.#onVisibility);
    void this.#ask();
  }

  hostDisconnected(): void {
    document.removeEventListener('visibilitychange', this.#onVisibility);
    clearTimeout(this.#timer);
  }

  /** Requests the status now. */
  refresh(): void {
    clearTimeout(this.#timer);
    void this.#ask();
  }

  readonly #onVisibility = (): void => {
    clearTimeout(this.#timer);
    if (!document.hidden) void this.#ask();
  };

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const status = await fetchStatus();
    this.#isAsking = false;
    this.isServerLost = status === undefined;
    this.status = status ?? this.status;
    this.#host.requestUpdate();
    clearTimeout(this.#timer);
    if (!document.hidden) this.#timer = setTimeout(() => void this.#ask(), EVERY_MS);
  }
}

async function fetchStatus(): Promise<StatusDocument | undefined> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(new URL('api/status', STUDIO_URL), { cache: 'no-store', signal });
    return response.ok ? ((await response.json()) as StatusDocument) : undefined;
  } catch {
    return undefined;
  }
}

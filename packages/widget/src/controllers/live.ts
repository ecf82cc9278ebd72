import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { EventStream, Follower } from '../data/event-stream.ts';

/** An element that can follow a source. */
export interface LiveHost extends ReactiveControllerHost, Follower {
  readonly isConnected: boolean;
  /** The stream to follow; undefined while nothing is followed. */
  readonly eventStream: EventStream | undefined;
}

/** Has its host follow the events of the BFF while it wants to, is connected, and the page is visible. */
export class LiveController implements ReactiveController {
  readonly #host: LiveHost;
  #stream: EventStream | undefined;

  constructor(host: LiveHost) {
    this.#host = host;
    host.addController(this);
  }

  hostUpdated(): void {
    this.#follow();
  }

  hostDisconnected(): void {
    // An element that is only moved is connected again by then.
    queueMicrotask(this.#follow);
  }

  readonly #follow = (): void => {
    const host = this.#host;
    const stream = host.isConnected && !document.hidden ? host.eventStream : undefined;
    if (stream !== this.#stream) this.#stream?.delete(host);
    this.#stream = stream;
    stream?.add(host);
  };
}

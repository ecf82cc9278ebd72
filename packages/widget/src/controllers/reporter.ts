import { announce } from '../a11y/announce.ts';
import { absoluteUrl } from '../base-url.ts';
import type { Failure } from '../data/result.ts';
import { warnAboutFailure } from '../diagnostics/warn-about.ts';
import type { EventDetail } from '../elements/element-view.ts';
import type { PulseErrorDetail, PulseEvents } from '../elements/events.ts';
import type { CardMessages } from '../i18n/messages.ts';
import type { LocalizeController } from './localize.ts';
import type { ResourceState } from './resource-state.ts';

/** An element whose changes are reported. */
export interface ReportHost<T> extends Element {
  readonly updateComplete: Promise<boolean>;
  readonly tokenProvider: unknown;
  /** The BFF's URL. */
  readonly _bff: string;
  /** The source's ID. Null for a board's list. */
  readonly _source: string | null;
  /** Whether the element still shows its server-rendered content. */
  readonly _keepsServerContent: boolean;
  _dispatch<Name extends keyof PulseEvents>(name: Name, detail: EventDetail<Name>): boolean;
  /** Returns the message about `failure` for the reader. */
  _messageOf(failure: Failure, messages: CardMessages): string;
  /** Reports changes that are specific to this kind of element. */
  _onChange(before: ResourceState<T>, after: ResourceState<T>): void;
}

/**
 * Reports its host's changes through events for the page, announcements for the reader, and log lines for developers.
 */
export class Reporter<T> {
  readonly #host: ReportHost<T>;
  readonly #localize: LocalizeController;

  constructor(host: ReportHost<T>, localize: LocalizeController) {
    this.#host = host;
    this.#localize = localize;
  }

  /** The facts about `failure` for the page and the message that the reader sees. */
  detailOf(failure: Failure): Omit<PulseErrorDetail, 'sourceId'> {
    const { code, status, retriable } = failure;
    return { code, status, retriable, message: this.#messageOf(failure) };
  }

  /** Reports a change once it has been rendered. */
  reportWhenRendered(before: ResourceState<T>, after: ResourceState<T>): void {
    const onRendered = (): void => this.#report(before, after);
    void this.#host.updateComplete.then(onRendered, onRendered);
  }

  /** Reports a failure to the page and its developer. */
  reportFailure(failure: Failure): void {
    const { _bff, _source, tokenProvider } = this.#host;
    this.#host._dispatch('pulse-error', this.detailOf(failure));
    void warnAboutFailure(failure, { bff: absoluteUrl(_bff), sourceId: _source, hasToken: !!tokenProvider });
  }

  #report(before: ResourceState<T>, after: ResourceState<T>): void {
    const { failure, status } = after;
    const isChange = status !== before.status;
    if (isChange) this.#host._dispatch('pulse-state', { state: status, previous: before.status });
    this.#host._onChange(before, after);
    if (!failure || !isChange || status === 'loading' || status === 'empty') return;
    this.reportFailure(failure);
    if (status === 'error') void this.#announce(failure);
  }

  async #announce(failure: Failure): Promise<void> {
    await this.#localize.loaded;
    await this.#host.updateComplete;
    // Screen readers have already read a server-rendered pulse.
    if (this.#host._keepsServerContent) return;
    const text = this.#messageOf(failure);
    void announce({ key: text, texts: [{ text, lang: this.#localize.messages.lang }] }, this.#host);
  }

  #messageOf(failure: Failure): string {
    return this.#host._messageOf(failure, this.#localize.messages);
  }
}

import { inspect } from 'node:util';

const REDACTED = '[redacted]';

/** Text that must not appear in a log, an error, or a document. Only `reveal()` returns it. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}

/** A command cannot do what it was asked for; the message is for a terminal, one fault a line. The exit code is 1. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
}

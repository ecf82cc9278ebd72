/** A command cannot do what it was asked for; the message is fit for a terminal, one fault a line. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
}

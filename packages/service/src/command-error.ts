/** A command failed. The message is meant for a terminal and contains one error per line. The exit code is 1. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
}

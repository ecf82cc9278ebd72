/** A fault in set-up that its operator can mend: the message is one clear line, fit for a terminal. */
export class StartFailed extends Error {
  override readonly name = 'StartFailed';
}

/** The timeout for a browser function, because its promise never settles in some privacy-focused browsers. */
const MAX_WAIT_MS = 5_000;

/**
 * The result of `call`, a call to the browser function named `what`. Rejects with a TimeoutError if the browser doesn't
 * respond in time.
 */
export function answerInTime<Value>(call: Promise<Value>, what: string): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onLate = (): void => reject(new DOMException(`the browser doesn’t respond to ${what}`, 'TimeoutError'));
    setTimeout(onLate, MAX_WAIT_MS);
    call.then(resolve, reject);
  });
}

/** The maximum wait for a browser function, because its promise never settles in some privacy browsers. */
const MAX_WAIT_MS = 5_000;

/** The result of `call`, a call to a browser function. Rejects with a TimeoutError if the browser doesn't respond. */
export function answerInTime<Value>(call: Promise<Value>): Promise<Value> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new DOMException('the browser doesn’t respond', 'TimeoutError')), MAX_WAIT_MS);
  });
  return Promise.race([call, late]);
}

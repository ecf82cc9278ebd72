/** The timeout for a browser function, because its promise never settles in some privacy-focused browsers. */
const MAX_WAIT_MS = 5_000;

/**
 * The result of `call`, a call to the browser function named `what`. Rejects with a TimeoutError if the browser doesn't
 * respond in time.
 */
export async function answerInTime<Value>(call: Promise<Value>, what: string): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new DOMException(`the browser doesn’t respond to ${what}`, 'TimeoutError')),
      MAX_WAIT_MS,
    );
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Closes a part. */
export type Closer = () => void | Promise<void>;

/**
 * Closes parts one after another. If closing one part fails, the others are still closed. Rejects with the first error.
 */
export async function closeAll(closers: readonly Closer[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closers) {
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** Answers that a BFF gave so far to readers of its data, by its private port. */
export async function answersOf({ adminUrl }: { readonly adminUrl: string }): Promise<number> {
  const status = (await fetch(`${adminUrl}/status`).then((answer) => answer.json())) as {
    answers: Record<string, number>;
  };
  return Object.values(status.answers).reduce((sum, count) => sum + count, 0);
}

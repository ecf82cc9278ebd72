/** A line of the count of answers to questions about data: probes are not among them. */
const DATA_ANSWERS = /^pulse_bff_answers_total\{[^}]*route="\/v1\/[^}]*\} (\d+)/gm;

/** Answers that a BFF gave so far to readers of its data, by its private port. */
export async function answersOf({ adminUrl }: { readonly adminUrl: string }): Promise<number> {
  const metrics = await fetch(`${adminUrl}/metrics`).then((answer) => answer.text());
  return [...metrics.matchAll(DATA_ANSWERS)].reduce((sum, [, count]) => sum + Number(count), 0);
}

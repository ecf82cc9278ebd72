/** A metrics line that counts data responses, except for probes. */
const DATA_ANSWERS = /^pulse_bff_answers_total\{[^}]*route="\/v1\/[^}]*\} (\d+)/gm;

/** The number of data responses that a BFF has sent so far, from its admin port. */
export async function answersOf({ adminUrl }: { readonly adminUrl: string }): Promise<number> {
  const metrics = await fetch(`${adminUrl}/metrics`).then((answer) => answer.text());
  return [...metrics.matchAll(DATA_ANSWERS)].reduce((sum, [, count]) => sum + Number(count), 0);
}

// Forged tokens: status, code, calls and budget spent for each; and the time that verifying one takes, beside jose alone.
import { parseArgs } from 'node:util';
import { table } from '../report/table.ts';
import { writeResult } from '../report/write-result.ts';
import { askWithForgeries } from './forgeries.ts';
import { timeVerification } from './verification-time.ts';

const { values } = parseArgs({
  options: {
    /** Tokens that are verified for each figure. */
    tokens: { type: 'string', default: '5000' },
  },
});

console.log('Forged tokens against a BFF, each for a source that is not known yet');
const { rows, good } = await askWithForgeries();
const passed = rows.filter(({ calls, spent, status }) => status === 200 || calls > 0 || spent > 0);
console.log(`  ${rows.length} asked, ${passed.length} passed or spent something`);

console.log('Verification, in this process');
const times = await timeVerification(Number(values.tokens));

await writeResult({
  name: 'tokens',
  title: 'Tokens: what forged ones get, and what a good one costs',
  figures: { rows, good, times },
  text: `
## Forged tokens

A BFF process (\`PULSE_ACCESS=token\`) in front of a recording upstream. Each token asks for the pulse of a source that the BFF may ask for and
has not asked for yet, so that whatever is let through spends a call: the good token at the end spends ${good.calls}. Calls are arrivals at the upstream;
the budget is what \`/status\` says was used. **${rows.length} tokens, ${passed.length} let through, ${sum(rows.map(({ calls }) => calls))} calls, ${sum(rows.map(({ spent }) => spent))} of the budget spent.**

${table(
  ['token', 'status', 'code', 'calls', 'budget spent'],
  [...rows, good].map(({ name, status, code, calls, spent }) => [name, status, code, calls, spent]),
)}

## Verification

Microseconds a token, ${values.tokens} tokens each that were never seen before, in rounds that take turns. "jose alone" is \`jwtVerify\` with a
\`CryptoKey\` and \`algorithms\`, nothing else. "At first sight" is all that the BFF does: canonical text, names once, header, key by \`kid\`,
signature, times, audience, claims, revocation. "Seen before" is the digest and the look-up in the bounded cache.

${table(
  ['', 'median µs', 'p99 µs', 'a second, one core'],
  times.map(({ name, medianUs, p99Us, perSecond }) => [name, medianUs, p99Us, Math.round(perSecond)]),
)}
`,
});
process.exitCode = passed.length === 0 ? 0 : 1;

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

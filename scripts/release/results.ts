import { styleText } from 'node:util';

/** The result of one test with the published packages. */
export interface Result {
  readonly name: string;
  readonly node: string;
  readonly tried: string;
  /** The outcome in a few words, or the reason for the failure. */
  readonly outcome: string;
  readonly isGood: boolean;
  readonly seconds: number;
}

/** Collects results. A failure becomes a row, so that the tests after it still run. */
export class Results {
  readonly #rows: Result[] = [];
  #node = '';

  /** Sets the version of Node that the next results belong to. */
  useNode(version: string): void {
    this.#node = version;
  }

  /** Tests one feature of a package. `work` resolves to the outcome. */
  async try(name: string, tried: string, work: () => Promise<string>): Promise<void> {
    const startedAt = performance.now();
    const [outcome, isGood] = await work().then(
      (text) => [text, true] as const,
      (error: Error) => [error.message, false] as const,
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    this.#rows.push({ name, node: this.#node, tried, outcome, isGood, seconds });
    console.log(`${isGood ? '✔' : '✖'} Node ${this.#node}, ${name}: ${tried} (${seconds.toFixed(1)} s)`);
    if (!isGood) console.error(styleText('red', outcome));
  }

  get haveFailed(): boolean {
    return this.#rows.some(({ isGood }) => !isGood);
  }

  /** The results as a Markdown table. */
  get table(): string {
    const lines = this.#rows.map(
      ({ name, node, tried, outcome, isGood, seconds }) =>
        `| ${name} | ${node} | ${tried} | ${isGood ? outcome : 'FAILED'} | ${seconds.toFixed(1)} s |`,
    );
    return ['| package | Node | what was done | result | time |', '|---|---|---|---|---|', ...lines].join('\n');
  }
}

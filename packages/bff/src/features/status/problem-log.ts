import { type Problem, topicOf } from '../../observability/problem.ts';

/** Codes of problems that end without any action. The status shows such problems, but the log doesn't. */
const PASSING: ReadonlySet<string> = new Set([
  'stopping',
  'starting',
  'budget_unknown',
  'upstream_failing',
  'budget_spent',
]);

/** Logs each problem once when it begins, and once when it is over. */
export class ProblemLog {
  readonly #warn: (message: string) => boolean;
  /** The latest headlines of the problems that were logged and aren't over. */
  readonly #logged = new Map<string, string>();

  /** `warn` returns false if it didn't write a line. The line is then written later, if the problem still exists. */
  constructor(warn: (message: string) => boolean) {
    this.#warn = warn;
  }

  /** Updates the current problems. */
  update(problems: readonly Problem[]): void {
    const now = new Map(problems.filter(({ code }) => !PASSING.has(code)).map((each) => [topicOf(each), each]));
    for (const [topic, { headline, advice }] of now)
      if (this.#logged.has(topic) || this.#warn(`${headline} ${advice}`)) this.#logged.set(topic, headline);
    for (const [topic, headline] of this.#logged)
      if (!now.has(topic) && this.#warn(`Over: ${headline}`)) this.#logged.delete(topic);
  }
}

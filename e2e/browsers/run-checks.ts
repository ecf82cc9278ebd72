import { setTimeout as delay } from 'node:timers/promises';
import type { Bundle } from '../../bench/embeds/bundles.ts';
import { startStub, type Stub } from '../../bench/embeds/stub.ts';
import { checkPage, CHECKS, type Step } from './checks.ts';
import type { Driver } from '@pulse-card/testkit/browsers/driver';

const TIMEOUT_MS = 10_000;

/** Whether a browser kept a promise, and a picture of the page. */
export interface CheckResult {
  readonly name: string;
  readonly promise: string;
  /** The first step that failed, or the error. Undefined if the promise was kept. */
  readonly fault: string | undefined;
  readonly picture: Buffer | undefined;
}

/** Tests all promises in one browser. */
export async function runChecks(driver: Driver, bundle: Bundle, chart: Buffer): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of CHECKS) {
    await using stub = await startStub(bundle, chart);
    stub.behavior.html = checkPage(check, stub);
    check.prepare?.(stub);
    const { name, promise } = check;
    try {
      await driver.open(`${stub.page}/page`);
      const fault = await firstFault(driver, check.steps, stub);
      // The picture is taken after the chart has faded in.
      await delay(400);
      const picture = await driver.picture();
      results.push({
        name,
        promise,
        fault: fault ?? (await firstFault(driver, check.afterwards ?? [], stub)),
        picture,
      });
    } catch (error) {
      results.push({ name, promise, fault: String(error), picture: undefined });
    }
  }
  return results;
}

async function firstFault(driver: Driver, steps: readonly Step[], stub: Stub): Promise<string | undefined> {
  for (const step of steps) {
    if (typeof step !== 'string') step(stub);
    else if (!(await becomesTrue(driver, step))) return step;
  }
  return undefined;
}

/**
 * Evaluates the expression again and again until it is true or the time limit is reached. If the expression throws, it
 * is tried again, because an element may not exist yet.
 */
async function becomesTrue(driver: Driver, expression: string): Promise<boolean> {
  const end = performance.now() + TIMEOUT_MS;
  while (performance.now() < end) {
    if (await driver.evaluate<boolean>(expression).catch(() => false)) return true;
    await delay(50);
  }
  return false;
}

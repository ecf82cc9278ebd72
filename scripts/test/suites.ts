import { globSync } from 'node:fs';
import { ROOT } from '../run.ts';
import type { Program } from '../setup/programs.ts';
import { UsageError } from '../usage.ts';

/** Tests that run together and form one row of the table. */
export interface Suite {
  readonly name: string;
  readonly kind: 'node' | 'element' | 'end-to-end';
  /** Paths relative to the repository root. */
  readonly files: readonly string[];
  /** What must be built, because the suite runs it. */
  readonly builds: 'nothing' | 'packages' | 'everything';
  /** The programs that all tests in the suite need. If a program is missing, the suite is skipped. */
  readonly needs?: readonly Program[];
  /** The programs that some tests in the suite need. If a program is missing, these tests are skipped. */
  readonly uses?: readonly Program[];
  /** Whether all files run in one process, because they test only functions without effects. */
  readonly isPure?: boolean;
  /** The browser for the element tests, if it isn't Chromium. */
  readonly browser?: 'firefox' | 'webkit';
  /** Whether the suite runs only with the long tests or when a filter names it. */
  readonly isLong?: boolean;
}

interface SuiteDefinition extends Omit<Suite, 'files'> {
  readonly patterns: readonly string[];
}

const ELEMENT_TESTS = ['packages/widget/src/**/*.browser.ts'];

/** Only Chromium measures layout shifts. */
const ELEMENT_TESTS_ELSEWHERE = ['packages/widget/src/**/!(layout-shift).browser.ts'];

/** The longest suites are first, so that no long suite runs at the end. */
const SUITES: readonly SuiteDefinition[] = [
  {
    name: 'e2e',
    kind: 'end-to-end',
    patterns: ['e2e/**/*.spec.ts'],
    builds: 'everything',
    needs: ['browser'],
    uses: ['nginx'],
  },
  {
    name: 'bff',
    kind: 'node',
    patterns: ['packages/bff/src/**/*.test.ts'],
    builds: 'packages',
    uses: ['redis'],
  },
  {
    name: 'bff-net',
    kind: 'node',
    patterns: ['packages/bff/net/{,attacks/}*.test.ts'],
    builds: 'packages',
    isLong: true,
    uses: ['redis'],
  },
  { name: 'elements', kind: 'element', patterns: ELEMENT_TESTS, builds: 'packages', needs: ['browser'] },
  {
    name: 'elements-firefox',
    kind: 'element',
    patterns: ELEMENT_TESTS_ELSEWHERE,
    builds: 'packages',
    browser: 'firefox',
    isLong: true,
    needs: ['firefox'],
  },
  {
    name: 'elements-webkit',
    kind: 'element',
    patterns: ELEMENT_TESTS_ELSEWHERE,
    builds: 'packages',
    browser: 'webkit',
    isLong: true,
    needs: ['webkit', 'display'],
  },
  { name: 'scripts', kind: 'node', patterns: ['scripts/**/*.test.ts'], builds: 'everything' },
  { name: 'service', kind: 'node', patterns: ['packages/service/src/**/*.test.ts'], builds: 'nothing' },
  {
    name: 'deploy',
    kind: 'node',
    patterns: ['e2e/deploy/*.test.ts'],
    builds: 'packages',
    needs: ['nginx', 'varnish', 'browser'],
  },
  { name: 'bench', kind: 'node', patterns: ['bench/**/*.test.ts'], builds: 'nothing', uses: ['redis'] },
  {
    name: 'browsers',
    kind: 'node',
    patterns: ['e2e/browsers/*.test.ts'],
    builds: 'everything',
    needs: ['browser'],
    uses: ['firefox', 'webkit', 'display'],
  },
  {
    name: 'demo',
    kind: 'node',
    patterns: ['demo/**/*.test.ts', 'tools/charts/**/*.test.ts'],
    builds: 'nothing',
    isPure: true,
  },
  { name: 'widget', kind: 'node', patterns: ['packages/widget/{src,build}/**/*.test.ts'], builds: 'nothing' },
  { name: 'doctor', kind: 'node', patterns: ['packages/doctor/src/**/*.test.ts'], builds: 'nothing' },
  { name: 'mcp', kind: 'node', patterns: ['packages/mcp/src/**/*.test.ts'], builds: 'packages' },
  { name: 'token', kind: 'node', patterns: ['packages/token/src/**/*.test.ts'], builds: 'nothing', isPure: true },
  { name: 'testkit', kind: 'node', patterns: ['packages/testkit/src/**/*.test.ts'], builds: 'nothing' },
  { name: 'contract', kind: 'node', patterns: ['packages/contract/src/**/*.test.ts'], builds: 'nothing', isPure: true },
];

/** The names that `npm test -- NAME` accepts. */
export const SUITE_NAMES: readonly string[] = SUITES.map(({ name }) => name);

/** Files that take too long for every run. `npm test` skips these files, and `npm run test:long` runs them. */
const LONG_FILES: ReadonlySet<string> = new Set([
  'e2e/browsers/browsers.test.ts',
  'packages/widget/src/testing/layout-shift.browser.ts',
]);

/** Options for choosing suites. */
export interface ChooseOptions {
  /** Names of suites, or parts of file paths. If empty, all suites run. */
  readonly filters: readonly string[];
  readonly isLong: boolean;
}

/**
 * The suites to run, with the files to run. A long file is included if a filter matches it. Throws a `UsageError` if a
 * filter matches nothing.
 */
export function chooseSuites({ filters, isLong }: ChooseOptions): Suite[] {
  const suites = SUITES.map(({ patterns, ...suite }) => ({
    ...suite,
    files: globSync(patterns, { cwd: ROOT }).toSorted(),
  }));
  for (const filter of filters)
    if (!SUITE_NAMES.includes(filter) && !suites.some(({ files }) => files.some((file) => file.includes(filter))))
      throw new UsageError(
        `No test matches "${filter}": specify part of a file's path, or one of ${SUITE_NAMES.join(', ')}`,
      );
  return suites
    .map((suite) => ({
      ...suite,
      files: suite.files.filter((file) => isChosen(file, suite, { filters, isLong })),
    }))
    .filter(({ files }) => files.length > 0);
}

function isChosen(file: string, suite: Suite, { filters, isLong }: ChooseOptions): boolean {
  const isShort = isLong || !LONG_FILES.has(file);
  const runsAlways = isLong || suite.isLong !== true;
  if (filters.length === 0) return isShort && runsAlways;
  return filters.some((filter) =>
    SUITE_NAMES.includes(filter) ? filter === suite.name && isShort : runsAlways && file.includes(filter),
  );
}

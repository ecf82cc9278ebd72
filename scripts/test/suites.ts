import { globSync } from 'node:fs';
import { ROOT } from '../run.ts';
import type { Program } from '@pulse-card/testkit/system/programs';
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
  /**
   * Patterns of files that each run in a separate process or page, such as tests of a command. The other files share
   * one process or page, which saves most of the time of small files. By default, every file is separate.
   */
  readonly separate?: readonly string[];
  /** Patterns of files that share a process or page. Files that match no pattern are separate. */
  readonly together?: readonly string[];
  /** The browser for the element tests, if it isn't Chromium. */
  readonly browser?: 'firefox' | 'webkit';
  /** Whether the suite runs only with the long tests or when a filter selects it. */
  readonly isLong?: boolean;
}

interface SuiteDefinition extends Omit<Suite, 'files'> {
  readonly patterns: readonly string[];
}

/**
 * A suite of node:test files. By default, these are the tests of the package with this name, which don't need a build.
 */
function nodeSuite(name: string, facts: Partial<SuiteDefinition> = {}): SuiteDefinition {
  return { name, kind: 'node', patterns: [`packages/${name}/src/**/*.test.ts`], builds: 'nothing', ...facts };
}

/** The elements' tests in Firefox or WebKit. Only Chromium measures layout shifts. */
function elementsIn(browser: 'firefox' | 'webkit', needs: readonly Program[]): SuiteDefinition {
  const patterns = ['packages/widget/src/**/!(layout-shift).browser.ts'];
  return { name: `elements-${browser}`, kind: 'element', patterns, builds: 'packages', browser, isLong: true, needs };
}

/**
 * The files of element tests that share a page. One page can't run them all, because the requests that tests leave open
 * use up its connections. The other files need a page without earlier elements or requests, or they leave many requests
 * or the mouse behind.
 */
const ON_ONE_PAGE: readonly string[] = [
  '{after-paint,click,defer-hydration,extras,fallback,frame,given-pulse,heights,history,long-findings,modules,reviewed,rhythm,screen-reader,signed-out,source-line,stored-page,tokens,two-servers,views,weight,withheld}',
  '{foreign-page,languages,live,many-cards,narrow,occasions,reader}',
  '{redraws,requests,states,strict-pages,stuck-browser,who-reads}',
];

/** The longest suites come first, so that no long suite runs at the end. */
const SUITES: readonly SuiteDefinition[] = [
  {
    name: 'e2e',
    kind: 'end-to-end',
    patterns: ['e2e/**/*.spec.ts'],
    builds: 'everything',
    needs: ['browser'],
    uses: ['nginx'],
  },
  nodeSuite('bff', {
    builds: 'packages',
    uses: ['redis'],
    // These tests start processes, wait for most of their time, or (http) need Express without Fastify in the process.
    separate: ['packages/bff/src/{main,bff,cli/*,http/{locals,serve-*},lib/log,features/redis/*,testing/*}.test.ts'],
  }),
  nodeSuite('bff-net', {
    patterns: ['packages/bff/net/{,attacks/}*.test.ts'],
    builds: 'packages',
    uses: ['redis'],
  }),
  {
    name: 'elements',
    kind: 'element',
    patterns: ['packages/widget/src/**/*.browser.ts'],
    builds: 'packages',
    needs: ['browser'],
    together: ON_ONE_PAGE.map((names) => `packages/widget/src/testing/${names}.browser.ts`),
  },
  elementsIn('firefox', ['firefox']),
  elementsIn('webkit', ['webkit', 'display']),
  nodeSuite('scripts', { patterns: ['scripts/**/*.test.ts'], builds: 'everything' }),
  nodeSuite('published', { patterns: ['packages/*/published/*.test.ts'], builds: 'packages' }),
  // These tests start processes or wait for most of their time.
  nodeSuite('service', { separate: ['packages/service/src/{main,service-on-*}.test.ts'] }),
  nodeSuite('deploy', {
    patterns: ['e2e/deploy/*.test.ts'],
    builds: 'packages',
    needs: ['nginx', 'varnish', 'browser'],
  }),
  nodeSuite('bench', { patterns: ['bench/**/*.test.ts'] }),
  nodeSuite('browsers', {
    patterns: ['e2e/browsers/*.test.ts'],
    builds: 'everything',
    needs: ['browser'],
    uses: ['firefox', 'webkit', 'display'],
  }),
  nodeSuite('demo', { patterns: ['demo/**/*.test.ts'], separate: [] }),
  nodeSuite('widget', { patterns: ['packages/widget/{src,build}/**/*.test.ts'] }),
  nodeSuite('doctor', { separate: [] }),
  nodeSuite('mcp', { builds: 'packages' }),
  nodeSuite('token', { separate: [] }),
  nodeSuite('testkit'),
  nodeSuite('contract', { separate: [] }),
];

/** The names that `npm test -- NAME` accepts. */
export const SUITE_NAMES: readonly string[] = SUITES.map(({ name }) => name);

/** Files that take too long for every run. `npm test` skips these files, and `npm run test:long` runs them. */
const LONG_FILES: ReadonlySet<string> = new Set([
  'e2e/browsers/browsers.test.ts',
  'packages/bff/net/attacks/attacks.test.ts',
  'packages/bff/net/limit.test.ts',
  'packages/bff/net/outage.test.ts',
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

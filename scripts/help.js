// The help for the npm commands (`npm start -- --help`). It doesn't require an installation.

/** The help texts, keyed by the file that the command runs. @type {Readonly<Record<string, string>>} */
export const HELP = {
  'scripts/start.ts': `npm start                     builds and runs everything: the service with demo pulses, the BFF, and the Studio
npm start -- --skip-build     starts without building again

If PULSE_BASE_URL and PULSE_API_KEY (or PULSE_API_KEY_FILE) are set, the BFF serves that account, and no service is started.

Variables:
  PULSE_SERVICE_PORT      port of the service (default 4010)
  PULSE_SERVICE_ALT_PORT  port of its second host (4011)
  PULSE_BFF_PORT          port of the BFF (4020)
  PULSE_ADMIN_PORT        admin port of the BFF: status page, Studio (4021)
  PULSE_DEMO_PORT         port of the Studio with the demo's sources (4030)
  PULSE_ALLOWED_ORIGINS   origins of other pages that can show cards
  PULSE_DATA_DIR          folder for all data and logs (.data)
The BFF's variables also work: docs/reference/configuration.md

Stop it with Ctrl+C.`,
  'scripts/test.ts': `npm test                      runs the tests
npm test -- bff               runs one suite
npm test -- WORD …            runs the files with one of these words in their path
npm test -- --skip-build …    runs without building again
npm test -- --install         installs missing system packages with sudo (root installs them without the option)
npm run test:browsers         runs the elements' tests in Firefox and WebKit
npm run test:long             also runs the long tests`,
  'scripts/bench.ts': `npm run bench                 runs every benchmark
npm run bench -- load         runs the named benchmarks
npm run bench -- all --short  runs every benchmark in its short form
npm run bench -- --list       lists all benchmarks`,
  'scripts/build.ts': 'npm run build                 builds everything that is run or published into the dist/ folders',
  'scripts/pack.ts': `npm run pack -- FOLDER                builds and packs the packages that an application with a mounted BFF installs
npm run pack -- --skip-build FOLDER   packs without building again
npm run pack -- --all FOLDER          packs every package that is published`,
  'scripts/check.ts':
    'npm run check                 checks the format, lint rules, types, dead code, packed packages, size budget, figures, and freshness',
};

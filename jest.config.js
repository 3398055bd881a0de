/**
 * The rings. Those of the gate need Node alone: `unit` is fast; `template` reads the synthesized templates and runs the
 * bundles; `integration` runs the ledger, the adapters and the local runtime on the real engine, and servers; `system`
 * starts the whole service and drives it with official SDKs. The others need more, and `npm run test:<ring>` installs it:
 * `browser` opens the pages in Chromium; `deploy` deploys with the CDK CLI into an emulated AWS account; `dynamodb-local`
 * runs tests of `integration` on AWS's DynamoDB Local; `clients` drives the service with its real clients; `schema` sends
 * what `openapi.json` describes, and lints the templates.
 */
import { join } from 'node:path';

const PATHS = {
  template: ['lib/', 'bench/cost.test.ts'],
  integration: [
    'adapters/',
    'core/ledger/',
    'local/',
    'simulators/',
    // Real servers, and measured times.
    'core/hostile-bodies.test.ts',
    'core/inference/kinds/transcriptions/lengths/bounds.test.ts',
    'edge/node-host.test.ts',
    'programs/',
    'endpoints/',
    'operator/catalog/check.test.ts',
    'operator/catalog/stored-catalogs.test.ts',
    'operator/quotas/',
  ],
  system: ['system/'],
  browser: ['browser/'],
  deploy: ['deploy/'],
  clients: ['clients/'],
  schema: ['schema/'],
};

/** Tests of the stores and the ledger that have one database, in memory; a plain run takes those of half a minute. */
const DYNAMODB_LOCAL =
  Number(process.env.THOROUGH ?? 1) > 1
    ? ['adapters/', 'core/ledger/']
    : [
        'adapters/inference/replay-store.test.ts',
        'adapters/ledger/key-store.test.ts',
        'adapters/ledger/usage-store.test.ts',
        'adapters/ledger/wallet/store.test.ts',
        'adapters/listings/purchases.test.ts',
        'core/ledger/cost.test.ts',
        'core/ledger/settlement.test.ts',
      ];

/** Without a database; with a file of its own; eight clients on one lock, which take minutes. */
const NOT_ON_DYNAMODB_LOCAL = [
  ...['adapters/access/identity', 'adapters/access/session-tokens', 'adapters/aws/', 'adapters/system/'],
  ...['adapters/payments/stripe', 'adapters/webhooks/', 'core/ledger/processes', 'core/ledger/upkeep'],
  ...['adapters/inference/circuit-'],
];

/** The processes that tests start, hundreds of them, compile no module that one before has compiled. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled');

const pathsOf = (paths) => paths.map((path) => `<rootDir>/test/${path}`);
const testsIn = (paths) => pathsOf(paths).map((path) => (path.endsWith('/') ? `${path}**/*.test.ts` : path));

const ring = (displayName, testMatch, testPathIgnorePatterns) => ({
  displayName,
  rootDir: import.meta.dirname,
  testMatch,
  testPathIgnorePatterns: ['/node_modules/', ...testPathIgnorePatterns],
  modulePathIgnorePatterns: ['<rootDir>/cdk.out/', '<rootDir>/.build/', '<rootDir>/.local/'],
  testEnvironment: 'node',
  resolver: '<rootDir>/test/package-resolver.ts',
  setupFiles: ['<rootDir>/test/set-up-search.ts'],
  // Packages too become CommonJS: linking ES modules anew for each test file took a fifth of the unit ring's time.
  transformIgnorePatterns: [],
  transform: {
    '^.+\\.(ts|mjs|js)$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'commonjs' } },
    ],
  },
});

export default {
  watchman: false,
  // A test on a busy machine is slow, not wrong: only one that hangs takes this long.
  testTimeout: 120_000,
  projects: [
    ring('unit', ['<rootDir>/test/**/*.test.ts'], pathsOf(Object.values(PATHS).flat())),
    {
      ...ring('template', testsIn(PATHS.template), []),
      globalSetup: '<rootDir>/test/lib/set-up.ts',
      globalTeardown: '<rootDir>/test/lib/tear-down.ts',
    },
    { ...ring('system', testsIn(PATHS.system), []), globalSetup: '<rootDir>/test/system/set-up.ts' },
    ...['integration', 'browser', 'deploy', 'clients', 'schema'].map((name) =>
      ring(name, testsIn(PATHS[name]), []),
    ),
    ring('dynamodb-local', testsIn(DYNAMODB_LOCAL), pathsOf(NOT_ON_DYNAMODB_LOCAL)),
  ],
};

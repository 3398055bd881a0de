/**
 * The rings. Those of the gate need Node alone: `unit` is fast; `template` reads the synthesized templates and runs the
 * bundles; `integration` runs the ledger, the adapters and the local runtime on the real engine, and servers; `system`
 * starts the whole service and drives it with official SDKs. The others need more, and `npm run test:<ring>` installs it:
 * `browser` opens the pages in Chromium; `deploy` deploys with the CDK CLI into an emulated AWS account; `dynamodb-local`
 * runs tests of `integration` on AWS's DynamoDB Local; `clients` drives the service with its real clients; `schema` sends
 * what `openapi.json` describes, and lints the templates; `clamav` scans builds with ClamAV's daemon; `extractors` lists
 * archives with public programs.
 */
import { join } from 'node:path';

const PATHS = {
  template: ['lib/', 'test/template/', 'tools/bench/cost.test.ts', 'tools/release/archive/'],
  integration: [
    'lambdas/*/store/',
    'lambdas/ledger/',
    'lambdas/platform/{aws,connections,dynamodb,system}/',
    'lambdas/servers/',
    'tools/local/',
    'tools/simulators/',
    'tools/bench/host/',
    'tools/bench/soak/leaks.test.ts',
    'test/endpoints/',
    'test/market/',
    'test/releases/rolling.test.ts',
    // Real servers, and measured times.
    'lambdas/inference/core/kinds/transcriptions/lengths/bounds.test.ts',
    'lambdas/platform/http/node-host.test.ts',
    'operator/catalog/bedrock/{account-catalog,audio-models}.test.ts',
    'operator/catalog/check.test.ts',
    'operator/commands/catalog-bedrock.test.ts',
    'operator/catalog/stored-catalogs.test.ts',
    'operator/deployment/check.test.ts',
    'operator/quotas/',
    'operator/service/',
    'operator/restore/',
    'operator/up/{first-catalog,market}.test.ts',
  ],
  system: ['test/system/', 'test/releases/fixture.test.ts', 'tools/bench/start/'],
  browser: ['test/browser/'],
  deploy: ['test/deploy/'],
  clients: ['test/clients/'],
  schema: ['test/schema/'],
  clamav: ['test/clamav/'],
  extractors: ['test/extractors/'],
};

/** Tests of the stores and the ledger that have one database, in memory; a plain run takes those of half a minute. */
const DYNAMODB_LOCAL =
  Number(process.env.THOROUGH ?? 1) > 1
    ? [
        'lambdas/*/store/',
        'lambdas/ledger/',
        'lambdas/platform/{aws,connections,dynamodb,system}/',
        'test/market/',
      ]
    : [
        'lambdas/inference/store/replay-store.test.ts',
        'lambdas/access/store/keys/key-store.test.ts',
        'lambdas/ledger/store/usage-store.test.ts',
        'lambdas/ledger/store/wallet/store.test.ts',
        'lambdas/marketplace/store/purchases/purchases.test.ts',
        'lambdas/ledger/core/cost.test.ts',
        'lambdas/ledger/core/settlement.test.ts',
      ];

/** Without a database; with a file of its own; eight clients on one lock, which take minutes. */
const NOT_ON_DYNAMODB_LOCAL = [
  'lambdas/access/store/{identity,session-tokens}*',
  'lambdas/platform/{aws,system}/',
  'lambdas/payments/store/stripe*',
  'lambdas/webhooks/store/',
  'lambdas/ledger/core/{processes,sweep}*',
  'lambdas/inference/store/circuit-*',
];

/** The processes that tests start, hundreds of them, compile no module that one before has compiled. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled');

const globsOf = (paths) =>
  paths.map((path) => `<rootDir>/${path.endsWith('/') ? `${path}**/*.test.ts` : path}`);

/** Jest ignores by regular expressions, and does not replace the root in a negated glob. */
const patternsOf = (paths) =>
  paths.map((path) => {
    const expression = path.replaceAll('.', '\\.').replaceAll('*', '[^/]*');
    return `<rootDir>/${expression.replace(/\{(.*)\}/, (_, names) => `(${names.replaceAll(',', '|')})`)}`;
  });

const ring = (displayName, paths, excluded = []) => ({
  displayName,
  rootDir: import.meta.dirname,
  testMatch: globsOf(paths),
  testPathIgnorePatterns: ['/node_modules/', ...patternsOf(excluded)],
  modulePathIgnorePatterns: ['<rootDir>/cdk.out/', '<rootDir>/.build/', '<rootDir>/.local/'],
  testEnvironment: 'node',
  resolver: '<rootDir>/tools/test-kit/package-resolver.ts',
  setupFiles: ['<rootDir>/tools/test-kit/set-up-search.ts'],
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
  testSequencer: '<rootDir>/test/sequencer.mjs',
  // A worker that nothing holds open frees its heap of a gigabyte within a second, or three on a busy machine. After
  // 500 ms, the default, jest reports it as one that an open handle keeps; such a one stays for ever.
  workerGracefulExitTimeout: 30_000,
  // A test on a busy machine is slow, not wrong: only one that hangs takes this long.
  testTimeout: 300_000,
  projects: [
    ring('unit', ['**/*.test.ts'], Object.values(PATHS).flat()),
    {
      ...ring('template', PATHS.template),
      globalSetup: '<rootDir>/test/template/set-up.ts',
      globalTeardown: '<rootDir>/test/template/tear-down.ts',
    },
    { ...ring('system', PATHS.system), globalSetup: '<rootDir>/test/system/set-up.ts' },
    ...['integration', 'browser', 'deploy', 'clients', 'schema', 'clamav', 'extractors'].map((name) =>
      ring(name, PATHS[name]),
    ),
    ring('dynamodb-local', DYNAMODB_LOCAL, NOT_ON_DYNAMODB_LOCAL),
  ],
};

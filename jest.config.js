/**
 * Four rings: `unit` is fast and needs nothing but Node; `integration` runs the ledger, the adapters and the local
 * runtime on the real engine; `system` starts the whole service and drives it with official SDKs; `deploy` deploys it
 * with the CDK CLI into an emulated AWS account (`npm run test:deploy` installs the emulator).
 */
const INTEGRATION = ['adapters', 'core/ledger', 'local', 'simulators'].map(
  (folder) => `<rootDir>/test/${folder}/`,
);

const ring = (displayName, testMatch, testPathIgnorePatterns) => ({
  displayName,
  rootDir: import.meta.dirname,
  testMatch,
  testPathIgnorePatterns: ['/node_modules/', ...testPathIgnorePatterns],
  modulePathIgnorePatterns: ['<rootDir>/cdk.out/', '<rootDir>/.build/', '<rootDir>/.local/'],
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } },
    ],
  },
});

export default {
  watchman: false,
  // A test on a busy machine is slow, not wrong: only one that hangs takes this long.
  testTimeout: 60_000,
  projects: [
    {
      ...ring(
        'unit',
        ['<rootDir>/test/**/*.test.ts'],
        ['<rootDir>/test/system/', '<rootDir>/test/browser/', '<rootDir>/test/deploy/', ...INTEGRATION],
      ),
      globalSetup: '<rootDir>/test/lib/set-up.ts',
      globalTeardown: '<rootDir>/test/lib/tear-down.ts',
    },
    ring(
      'integration',
      INTEGRATION.map((folder) => `${folder}**/*.test.ts`),
      [],
    ),
    ring('system', ['<rootDir>/test/system/**/*.test.ts'], []),
    ring('browser', ['<rootDir>/test/browser/**/*.test.ts'], []),
    ring('deploy', ['<rootDir>/test/deploy/**/*.test.ts'], []),
  ],
};

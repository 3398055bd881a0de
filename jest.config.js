/** Two rings: `unit` needs nothing but Node; `system` starts the whole service locally and drives it with official SDKs. */
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
  projects: [
    ring('unit', ['<rootDir>/test/**/*.test.ts'], ['<rootDir>/test/system/']),
    ring('system', ['<rootDir>/test/system/**/*.test.ts'], []),
  ],
};

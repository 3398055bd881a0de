/** Two rings: `unit` needs nothing but Node; `system` starts the whole service locally and drives it with official SDKs. */
const project = (displayName, testMatch) => ({
  displayName,
  rootDir: import.meta.dirname,
  testMatch,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } }],
  },
  watchman: false,
});

export default {
  projects: [
    project('unit', ['<rootDir>/test/**/*.test.ts', '!<rootDir>/test/system/**']),
    project('system', ['<rootDir>/test/system/**/*.test.ts']),
  ].map((p) => ({ ...p, testMatch: p.testMatch.filter((m) => !m.startsWith('!')), testPathIgnorePatterns: ['/node_modules/', ...(p.displayName === 'unit' ? ['<rootDir>/test/system/'] : [])] })),
};

/**
 * `npm run test:vulnerabilities`: asks the registry for known vulnerabilities. One in what is deployed fails; one in a
 * tool is printed; a registry that has no database, or cannot be reached, is said loudly and fails nothing.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COPIED_PACKAGES } from '../../lib/bundle.ts';
import { bundleConsole } from '../../lib/bundle-console.ts';
import { bundledFolders } from '../../lib/supply/bill-of-materials.ts';
import { skipRing } from '../optional-ring.ts';
import { deployedOnes, readAudit, type Vulnerability } from './advisories.ts';
import { isProduction, lockedPackages } from './policy.ts';

const root = join(import.meta.dirname, '..', '..');

/** A registry that does not answer must not hold up the rings beside this one. */
const TIMEOUT_MS = 120_000;

const lineOf = ({ name, severity, advisories }: Vulnerability) =>
  `${severity}: ${name} ${advisories.join('; ')}`.trimEnd();

const { stdout, error } = spawnSync('npm', ['audit', '--json', '--fetch-retries=1'], {
  cwd: root,
  timeout: TIMEOUT_MS,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
});
const outcome = readAudit(stdout ?? '');
if ('unreachable' in outcome) {
  const reason = 'the registry serves no database of vulnerabilities here, so none was looked for';
  skipRing('vulnerabilities', reason, error ?? new Error(outcome.unreachable));
} else {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  const { metafile } = await bundleConsole({ page: folder, assets: folder });
  rmSync(folder, { recursive: true });
  const deployed = new Set([
    ...bundledFolders(metafile),
    ...[...lockedPackages()].flatMap(([folder, entry]) => (isProduction(entry) ? [folder] : [])),
    ...COPIED_PACKAGES.map((name) => `node_modules/${name}`),
  ]);
  const { vulnerabilities } = outcome;
  const ours = deployedOnes(vulnerabilities, deployed);
  console.log(`${vulnerabilities.length} known vulnerabilities, ${ours.length} of them in what is deployed`);
  for (const each of vulnerabilities) console.log(lineOf(each));
  process.exitCode = ours.length === 0 ? 0 : 1;
}

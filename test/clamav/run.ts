/**
 * `npm run test:clamav`: runs the `clamav` ring with ClamAV's daemon, which Debian's package `clamav-daemon` installs. The ring
 * has its signatures in a file, so it needs no network. Without a daemon the ring is skipped, and its output names the
 * package.
 */
import { execFileSync } from 'node:child_process';
import { runRing, skipRing } from '../optional-ring.ts';

/** Debian installs daemons in a folder that is not in the path of every user. */
const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;

function main(): number {
  try {
    execFileSync('clamd', ['--version'], { env: { PATH }, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (failure) {
    skipRing('clamav', 'it needs clamd, of the package clamav-daemon', failure);
    return 0;
  }
  return runRing('clamav', { PATH });
}

process.exitCode = main();

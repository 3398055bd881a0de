/** ClamAV's daemon with one signature, that of EICAR's test file. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EICAR } from '../../lambdas/marketplace/testing/hostile-archives.ts';
import { until } from '../../tools/test-kit/waiting.ts';

/** The name that the daemon reports: a signature that is not ClamAV's is unofficial. */
export const THREAT = 'Eicar-Test-Signature.UNOFFICIAL';

/** Above the largest build, and below the member in which ClamAV misses a threat. */
export const MAX_STREAM_BYTES = 64 * 1024 * 1024;

/** Ends the daemon when this process goes, however it goes: the other end of its standard input closes. */
const GUARD = '"$@" & daemon=$!; cat >/dev/null; kill "$daemon"; wait "$daemon"';

export const socketIn = (folder: string): string => join(folder, 'clamd.ctl');

/** Starts the daemon in a folder, with the settings of clamd.conf(5) that `docs/local.md` recommends; returns its stop. */
export async function startClamd(folder: string): Promise<() => Promise<void>> {
  const [signatures, config] = [join(folder, 'signatures'), join(folder, 'clamd.conf')];
  mkdirSync(signatures);
  // Finds the bytes at any position: ClamAV documentation, extended signatures.
  writeFileSync(join(signatures, 'eicar.ndb'), `Eicar-Test-Signature:0:*:${EICAR.toString('hex')}\n`);
  const settings = {
    LocalSocket: socketIn(folder),
    DatabaseDirectory: signatures,
    TemporaryDirectory: folder,
    Foreground: 'yes',
    StreamMaxLength: String(MAX_STREAM_BYTES),
    AlertEncrypted: 'yes',
    AlertExceedsMax: 'yes',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`);
  writeFileSync(config, lines.join(''));
  const daemon: ChildProcess = spawn('sh', ['-c', GUARD, 'sh', 'clamd', '--config-file', config], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  await until(
    async () => existsSync(socketIn(folder)),
    (isThere) => isThere,
  );
  return async () => {
    const closed = once(daemon, 'close');
    daemon.stdin?.end();
    await closed;
  };
}

/**
 * `npm run test:optional`: the rings that need more than Node, each of which skips itself loudly without it; two at a
 * time, because the longest of them keeps one core busy. What each prints comes whole when it has ended.
 */
import { spawn } from 'node:child_process';

/** One after the other within a lane, the lanes side by side. */
const LANES = [['deploy'], ['vulnerabilities', 'browser', 'dynamodb-local', 'schema', 'clients']] as const;

/** The exit code of a ring; 1 when it was killed. */
function exitCodeOf(ring: string): Promise<number> {
  const child = spawn('npm', ['run', `test:${ring}`], { stdio: ['ignore', 'pipe', 'pipe'] });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => {
      printed.push(bytes);
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(printed));
      resolve(code ?? 1);
    });
  });
}

async function worstOf(rings: readonly string[]): Promise<number> {
  let worst = 0;
  for (const ring of rings) worst = Math.max(worst, await exitCodeOf(ring));
  return worst;
}

process.exitCode = Math.max(...(await Promise.all(LANES.map(worstOf))));

/**
 * `npm run test:optional`: the rings that need more than Node, each of which skips itself loudly without it; three at a
 * time, because each waits for other programs a third of its time. What each prints comes whole when it has ended.
 */
import { spawn } from 'node:child_process';

/** The longest first. */
const RINGS = [
  'deploy',
  'browser',
  'schema',
  'clients',
  'dynamodb-local',
  'clamav',
  'extractors',
  'vulnerabilities',
];
const AT_ONCE = 3;

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

const rest = RINGS.values();
let worst = 0;

/** Runs those that no other lane has begun. */
async function runLane(): Promise<void> {
  for (const ring of rest) worst = Math.max(worst, await exitCodeOf(ring));
}

await Promise.all(Array.from({ length: AT_ONCE }, runLane));
process.exitCode = worst;

/**
 * `npm test`: every check and every ring, two lanes side by side. In the first is what keeps one core busy, the rings among
 * it that need more than Node and skip themselves loudly without it; in the second what has workers of its own. What
 * each prints comes whole when it has ended, and all run even where one fails.
 */
import { spawn } from 'node:child_process';

/** Scripts of `package.json`, one after the other within a lane; the longest come first. */
const LANES = [
  ['types', 'lint', 'synth', 'test:deploy', 'test:clients', 'test:dynamodb-local', 'test:browser'],
  ['test:unit', 'test:template', 'test:integration', 'test:system'],
] as const;

/** The exit code of a script; 1 when it was killed. */
function ended(script: string): Promise<number> {
  console.log(`running ${script}`);
  const child = spawn('npm', ['run', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => {
      printed.push(bytes);
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(printed));
      if (code !== 0) process.stdout.write(`${script} failed\n`);
      resolve(code ?? 1);
    });
  });
}

async function worstOf(scripts: readonly string[]): Promise<number> {
  let worst = 0;
  for (const script of scripts) worst = Math.max(worst, await ended(script));
  return worst;
}

process.exitCode = Math.max(...(await Promise.all(LANES.map(worstOf))));

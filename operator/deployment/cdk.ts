/** The CDK's command line, as a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** Runs a command of the CDK with these settings; what it prints goes to standard error. Throws if it fails. */
export async function runCdk(
  configFile: string,
  region: string,
  ...command: readonly string[]
): Promise<void> {
  const cli = join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk');
  const child = spawn(process.execPath, [cli, ...command, '--no-notices'], {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
    env: {
      ...process.env,
      CONFIG: configFile,
      AWS_REGION: region,
      // `cdk.json` names `node`: the one that runs this.
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    },
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`"cdk ${command[0]}" failed: its reason is above`);
}

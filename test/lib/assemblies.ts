/**
 * Cloud assemblies that the tests of one run share: loading the CDK costs far more than synthesizing, so each set of
 * settings is synthesized once, in a process of its own, and read by all.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Where the assemblies of this run are; the fast ring's set-up makes the folder. */
export const ASSEMBLIES_VARIABLE = 'TEST_ASSEMBLIES';

const PROGRAM = join(import.meta.dirname, 'synthesize.ts');

/**
 * The folder of the assembly for these settings and the CDK context of the environment. Workers that ask at once may
 * both synthesize: the first to finish wins. Throws with the CDK's message when it cannot be synthesized.
 */
export function assemblyOf(settings: object): string {
  const folder = process.env[ASSEMBLIES_VARIABLE];
  if (folder === undefined) throw new Error(`${ASSEMBLIES_VARIABLE} is not set: run the fast ring with jest`);
  const written = JSON.stringify(settings);
  const key = createHash('sha256')
    .update(`${written}\n${process.env.CDK_CONTEXT_JSON ?? ''}`)
    .digest('hex');
  const assembly = join(folder, key);
  if (existsSync(assembly)) return assembly;
  const fresh = mkdtempSync(join(folder, 'fresh-'));
  execFileSync(process.execPath, [PROGRAM, written, fresh], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    renameSync(fresh, assembly);
  } catch (error) {
    if (!existsSync(assembly)) throw error;
    rmSync(fresh, { recursive: true, force: true });
  }
  return assembly;
}

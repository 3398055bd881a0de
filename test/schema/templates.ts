/** The templates of the configurations that a run judges. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CONFIGURATIONS } from '../template/configurations.ts';

export const THOROUGH = Number(process.env.THOROUGH ?? 1);

/** A thorough run judges every configuration. */
export const NAMES = THOROUGH > 1 ? Object.keys(CONFIGURATIONS) : ['standard', 'fargate'];

/** Synthesizes the configurations into the folder; returns the paths of their templates, those that are the same once. */
export async function synthesize(folder: string): Promise<readonly string[]> {
  const program = join(import.meta.dirname, '..', 'template', 'synthesize.ts');
  const options = { env: { ...process.env, CDK_VALIDATION: 'false' } };
  await promisify(execFile)(process.execPath, [program, folder, ...NAMES], options);
  const files = new Map<string, string>();
  for (const name of NAMES)
    for (const file of readdirSync(join(folder, name)))
      if (file.endsWith('.template.json')) {
        const path = join(folder, name, file);
        files.set(createHash('sha256').update(readFileSync(path)).digest('hex'), path);
      }
  return [...files.values()];
}

/** The cloud assembly of a stage: the synthesized stacks, and what they count against the quotas of an account. */
import { globSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { isStackOf, stackNameOf } from '../../lib/config/stage-names.ts';
import { runCdk } from './cdk.ts';
import type { UpOptions } from './settings.ts';

const template = z.looseObject({ Resources: z.record(z.string(), z.looseObject({ Type: z.string() })) });

export interface SynthesizedCounts {
  readonly roles: number;
  /** The resources of each stack by its name, nested ones included. */
  readonly resources: ReadonlyMap<string, number>;
}

/** Synthesizes the stacks, unless a pipeline has done so. */
export async function synthesize(
  { configFile, assembly, isSynthesized }: Pick<UpOptions, 'configFile' | 'assembly' | 'isSynthesized'>,
  region: string,
): Promise<void> {
  if (isSynthesized) return;
  rmSync(assembly, { recursive: true, force: true });
  await runCdk(configFile, region, 'synth', '--quiet', '--output', assembly);
}

/** Throws if the folder has no templates. */
export function countAssembly(assembly: string): SynthesizedCounts {
  const stacks = globSync(join(assembly, '*.template.json')).map((file) => {
    const { Resources: resources } = template.parse(JSON.parse(readFileSync(file, 'utf8')));
    return {
      name: basename(file, '.template.json'),
      types: Object.values(resources).map(({ Type }) => Type),
    };
  });
  if (stacks.length === 0)
    throw new Error(`${assembly} has no templates: name the output folder of cdk synth`);
  return {
    roles: stacks.flatMap(({ types }) => types).filter((type) => type === 'AWS::IAM::Role').length,
    resources: new Map(stacks.map(({ name, types }) => [name, types.length])),
  };
}

/** Lists the stacks of an assembly that the way back to it changes: all but the data stack, without nested ones. */
export const stacksOnTheWayBack = (assembly: string, stage: string): readonly string[] =>
  [...countAssembly(assembly).resources.keys()].filter(
    (name) => isStackOf(stage, name) && name !== stackNameOf(stage, 'data'),
  );

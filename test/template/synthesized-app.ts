/** The app synthesized with placeholder bundles, and its templates read as a deployment would resolve them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { parseConfig } from '../../lib/config/config.ts';
import type { FunctionName } from '../../lib/config/grants.ts';
import { readCloudAssembly } from '../../tools/local/assembly/cloud-assembly.ts';
import { assemblyOf } from './assemblies.ts';
import { CONFIGURATIONS, type ConfigurationName } from './configurations.ts';
import { FUNCTIONS } from './functions.ts';

export type StackName = 'data' | 'inference' | 'platform' | 'operations' | 'ingress' | 'edge-alarms';
/** Those of every deployment; settings add the others. */
export const STACK_NAMES: readonly StackName[] = ['data', 'inference', 'platform', 'operations'];
export const SERVICE_STACKS = ['inference', 'platform'] as const;

type Properties = Readonly<Record<string, unknown>>;

export interface Resource {
  readonly Type: string;
  readonly Properties: Properties;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: readonly string[];
}

export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<
    Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: string } }>
  >;
}

/** A resource that an expression of a template leads to, in whichever stack it is. */
export interface Reference {
  readonly stack: StackName;
  readonly id: string;
  /** `Ref`, or the attribute of `Fn::GetAtt`. */
  readonly attribute: string;
}

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'synthesized-app-'));
  folders.push(folder);
  return folder;
}

/** The templates of an assembly, with their nested stacks in them; one that the settings leave out is empty. */
function templatesOf(outdir: string, stage: string): Readonly<Record<StackName, Template>> {
  const stacks = new Map(readCloudAssembly(outdir).map(({ name, template }) => [name, template as Template]));
  const template = (name: StackName): Template => {
    const prefix = `Inference-${stage}-${name}`;
    const found = stacks.get([...stacks.keys()].find((key) => key.startsWith(prefix)) ?? '');
    if (found === undefined && STACK_NAMES.includes(name)) throw new Error(`${outdir} has no stack ${name}`);
    return found ?? { Resources: {}, Outputs: {} };
  };
  return {
    data: template('data'),
    inference: template('inference'),
    platform: template('platform'),
    operations: template('operations'),
    ingress: template('ingress'),
    'edge-alarms': template('edge-alarms'),
  };
}

export class SynthesizedApp {
  readonly templates: Readonly<Record<StackName, Template>>;
  readonly outdir: string;

  constructor(name: ConfigurationName = 'standard') {
    this.outdir = assemblyOf(name);
    this.templates = templatesOf(this.outdir, parseConfig(CONFIGURATIONS[name]).stage);
  }

  /** The resources of a type in a stack, by logical id. */
  resources(stack: StackName, type: string): readonly (readonly [string, Resource])[] {
    return Object.entries(this.templates[stack].Resources).filter(([, resource]) => resource.Type === type);
  }

  /** The properties of the resources of a type in a stack. */
  properties(stack: StackName, type: string): readonly Properties[] {
    return this.resources(stack, type).map(([, { Properties: properties }]) => properties);
  }

  /** The properties of the alarm of this name, without its stage; undefined if there is none. */
  alarm(name: string): Properties | undefined {
    return this.properties('operations', 'AWS::CloudWatch::Alarm').find(({ AlarmName: full }) =>
      String(full).endsWith(`/${name}`),
    );
  }

  /** The only resource of a type in a stack. */
  only(stack: StackName, type: string): Resource {
    const [resource, ...otherResources] = this.resources(stack, type);
    if (resource === undefined || otherResources.length > 0)
      throw new Error(`${stack} has not exactly one ${type}`);
    return resource[1];
  }

  /**
   * Returns the reference of an expression, through exports of other stacks; undefined if it is not a plain reference.
   */
  reference(stack: StackName, expression: unknown): Reference | undefined {
    const parts = expression as {
      Ref?: string;
      'Fn::GetAtt'?: readonly string[];
      'Fn::ImportValue'?: string;
    };
    if (typeof parts?.Ref === 'string') return { stack, id: parts.Ref, attribute: 'Ref' };
    const [id, attribute] = parts?.['Fn::GetAtt'] ?? [];
    if (id !== undefined && attribute !== undefined) return { stack, id, attribute };
    const name = parts?.['Fn::ImportValue'];
    if (name === undefined) return undefined;
    for (const exporting of STACK_NAMES) {
      const output = Object.values(this.templates[exporting].Outputs ?? {}).find(
        (out) => out.Export?.Name === name,
      );
      if (output !== undefined) return this.reference(exporting, output.Value);
    }
    throw new Error(`nothing exports ${name}`);
  }

  /** The folder whose bundle a function runs. */
  functionName(stack: StackName, functionId: string): FunctionName {
    const code = this.templates[stack].Resources[functionId]?.Properties.Code as { readonly S3Key: string };
    const asset = `asset.${code.S3Key.replace('.zip', '')}`;
    const text = readFileSync(join(this.outdir, asset, 'index.mjs'), 'utf8');
    const name = FUNCTIONS.find((candidate) => candidate === text);
    if (name === undefined) throw new Error(`${functionId} runs no bundle of ours`);
    return name;
  }
}

/** A literal string with the references of a template in it written as `<Name>`. */
export function joined(expression: unknown): string {
  if (typeof expression === 'string') return expression;
  const parts = expression as {
    Ref?: string;
    'Fn::GetAtt'?: readonly string[];
    'Fn::Join'?: [string, unknown[]];
  };
  if (parts['Fn::Join'] !== undefined) return parts['Fn::Join'][1].map(joined).join(parts['Fn::Join'][0]);
  return `<${parts.Ref ?? parts['Fn::GetAtt']?.join('.') ?? '?'}>`;
}

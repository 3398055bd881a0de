/** Describes the Lambda functions of an assembly: the bundle, its limits and the environment it will see. */
import type { LocatedResource, Stacks } from './stacks.ts';

export interface FunctionDescription {
  readonly name: string;
  readonly arn: string;
  /** The name of the function for people: its Powertools service name if it has one, else its name. */
  readonly label: string;
  /** Folder of the bundle (absolute). */
  readonly assetDir: string;
  /** `file.export`, as Lambda takes it. */
  readonly handler: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly roleArn: string;
}

interface FunctionProperties {
  readonly Code: { readonly S3Key?: string };
  readonly Handler?: string;
  readonly Runtime?: string;
  /** Seconds. */
  readonly Timeout?: number;
  readonly MemorySize?: number;
  readonly Environment?: { readonly Variables?: Readonly<Record<string, unknown>> };
  readonly Role: string;
}

/** Lambda's defaults where a template sets nothing (Lambda API reference, CreateFunction). */
const DEFAULT_TIMEOUT_SECONDS = 3;
const DEFAULT_MEMORY_MB = 128;

export function describeFunctions(stacks: Stacks): readonly FunctionDescription[] {
  return stacks.resources('AWS::Lambda::Function').map(describeFunction);
}

function describeFunction(resource: LocatedResource): FunctionDescription {
  const properties = resource.properties<FunctionProperties>();
  const { arn, identity, location } = resource;
  if (!properties.Runtime?.startsWith('nodejs'))
    throw new Error(`${location}: the local runtime cannot run ${properties.Runtime}`);
  const assetDir = resource.stack.assets.get(properties.Code.S3Key ?? '');
  if (assetDir === undefined) throw new Error(`${location}: its code is not an asset of the assembly`);
  if (properties.Handler === undefined) throw new Error(`${location}: it names no handler`);
  const variables = Object.entries(properties.Environment?.Variables ?? {});
  const environment = Object.fromEntries(variables.map(([name, value]) => [name, String(value)]));
  return {
    name: identity.ref,
    arn,
    label: environment.POWERTOOLS_SERVICE_NAME ?? identity.ref,
    assetDir,
    handler: properties.Handler,
    timeoutMs: Number(properties.Timeout ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
    memoryMb: Number(properties.MemorySize ?? DEFAULT_MEMORY_MB),
    environment,
    roleArn: properties.Role,
  };
}

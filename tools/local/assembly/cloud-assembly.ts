/**
 * Reads what `cdk synth` wrote: the templates in deployment order and where each asset lies. Nothing is interpreted
 * here. Source of the format: the `cloud-assembly-schema` package of the AWS CDK.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A resource as the template has it, its intrinsic functions unresolved. */
interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>>;
  readonly Outputs?: Readonly<Record<string, TemplateOutput>>;
}

interface TemplateOutput {
  readonly Value: unknown;
  readonly Export?: { readonly Name: unknown };
}

export interface SynthesizedStack {
  readonly name: string;
  readonly template: Template;
  /** Asset folders and files (absolute) by the S3 key under which the template knows them. */
  readonly assets: ReadonlyMap<string, string>;
}

interface Manifest {
  readonly artifacts?: Readonly<Record<string, Artifact>>;
}

interface Artifact {
  readonly type: string;
  readonly properties?: {
    readonly templateFile?: string;
    readonly file?: string;
    readonly stackName?: string;
  };
}

interface AssetManifest {
  readonly files?: Readonly<
    Record<string, { readonly source: { readonly path?: string }; readonly destinations: Destinations }>
  >;
}

type Destinations = Readonly<Record<string, { readonly objectKey: string }>>;

/** Reads every stack of an assembly folder; throws an error that names the file it could not read. */
export function readCloudAssembly(directory: string): readonly SynthesizedStack[] {
  const manifest = readJson<Manifest>(join(directory, 'manifest.json'));
  const artifacts = Object.entries(manifest.artifacts ?? {});
  const nested = artifacts.find(([, artifact]) => artifact.type === 'cdk:cloud-assembly');
  if (nested !== undefined)
    throw new Error(`nested assembly ${nested[0]}: the local runtime reads stacks of the app itself only`);
  return artifacts.flatMap(([id, { type, properties }]) => {
    if (type !== 'aws:cloudformation:stack' || properties?.templateFile === undefined) return [];
    const assetFile = artifacts.find(([name]) => name === `${id}.assets`)?.[1].properties?.file;
    return {
      name: properties.stackName ?? id,
      template: readJson<Template>(join(directory, properties.templateFile)),
      assets: assetFile === undefined ? new Map<string, string>() : readAssets(directory, assetFile),
    };
  });
}

function readAssets(directory: string, file: string): Map<string, string> {
  const assets = new Map<string, string>();
  for (const { source, destinations } of Object.values(
    readJson<AssetManifest>(join(directory, file)).files ?? {},
  )) {
    if (source.path === undefined) continue;
    for (const { objectKey } of Object.values(destinations))
      assets.set(objectKey, join(directory, source.path));
  }
  return assets;
}

function readJson<T>(file: string): T {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch (cause) {
    throw new Error(`cloud assembly: cannot read ${file}`, { cause });
  }
}

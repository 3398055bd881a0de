/**
 * Reads what `cdk synth` wrote: the templates in deployment order, each with those of its nested stacks in it, and where
 * each asset lies. Source of the format: the `cloud-assembly-schema` package of the AWS CDK.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inlineNestedStacks, type Template } from './template.ts';

type RecordOf<T> = Readonly<Record<string, T>>;

export interface SynthesizedStack {
  readonly name: string;
  readonly template: Template;
  /** Asset folders and files (absolute) by the S3 key under which the template knows them. */
  readonly assets: ReadonlyMap<string, string>;
}

interface Artifact {
  readonly type: string;
  readonly properties?: {
    readonly templateFile?: string;
    readonly file?: string;
    readonly stackName?: string;
  };
}

interface AssetFile {
  readonly source: { readonly path?: string };
  readonly destinations: RecordOf<{ readonly objectKey: string }>;
}

/** Reads every stack of an assembly folder; throws an error that names the file it could not read. */
export function readCloudAssembly(directory: string): readonly SynthesizedStack[] {
  const manifest = readJson<{ artifacts?: RecordOf<Artifact> }>(join(directory, 'manifest.json'));
  const artifacts = Object.entries(manifest.artifacts ?? {});
  const nested = artifacts.find(([, artifact]) => artifact.type === 'cdk:cloud-assembly');
  if (nested !== undefined)
    throw new Error(`nested assembly ${nested[0]}: the local runtime reads stacks of the app itself only`);
  return artifacts.flatMap(([id, { type, properties }]) => {
    if (type !== 'aws:cloudformation:stack' || properties?.templateFile === undefined) return [];
    const assetFile = artifacts.find(([name]) => name === `${id}.assets`)?.[1].properties?.file;
    const assets = assetFile === undefined ? new Map<string, string>() : readAssets(directory, assetFile);
    const template = readJson<Template>(join(directory, properties.templateFile));
    return {
      name: properties.stackName ?? id,
      template: inlineNestedStacks(template, (key) => readJson(assets.get(key) ?? key)),
      assets,
    };
  });
}

function readAssets(directory: string, file: string): ReadonlyMap<string, string> {
  const { files = {} } = readJson<{ files?: RecordOf<AssetFile> }>(join(directory, file));
  const assets = Object.values(files).flatMap(({ source: { path }, destinations }) =>
    path === undefined
      ? []
      : Object.values(destinations).map(({ objectKey }) => [objectKey, join(directory, path)] as const),
  );
  return new Map(assets);
}

function readJson<T>(file: string): T {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch (cause) {
    throw new Error(`cloud assembly: cannot read ${file}`, { cause });
  }
}

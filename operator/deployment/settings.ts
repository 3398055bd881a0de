/** The arguments of `up` and `down`, and the settings of the deployment that they name. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type NanoUsd, parseUsd } from '../../lambdas/platform/core/money.ts';
import { type Config, hasEdge, parseConfig } from '../../lib/config/config.ts';
import { readOptions } from '../read-options.ts';

const DEFAULT_CREDIT = '10';

/** The catalog that is shipped for an account without any vendor's key. */
export const SHIPPED_CATALOG = join(import.meta.dirname, '..', '..', 'catalogs', 'bedrock.json');

export interface UpOptions {
  readonly config: Config;
  /** The settings as a file that the CDK app reads. */
  readonly configFile: string;
  /** The folder of the synthesized stacks. */
  readonly assembly: string;
  /** The stacks are in that folder already: a pipeline has synthesized them before. */
  readonly isSynthesized: boolean;
  /** The catalog to apply; the models that Bedrock offers to the account if there is none. */
  readonly catalog?: string | undefined;
  readonly credit: NanoUsd;
  /** Deploys without the question. */
  readonly isConfirmed: boolean;
}

/** The first line is the usage. */
export const UP_HELP = `usage: npm run up -- [--stage STAGE] [--config FILE] [--catalog FILE] [--credit USD] [--without transcribe] [--app FOLDER] [--yes]

Deploys a stage to the AWS account and region of your credentials, or updates it, and ends with a key and a call that works.
It asks once, before it changes anything. After a failure the same command continues.

  --stage STAGE         name of the deployment (prod)
  --config FILE         settings in JSON: docs/operate/settings.md (those that the variable CONFIG names)
  --catalog FILE        catalog of models and prices (all models that Bedrock offers to the account)
  --credit USD          credit of the first account (${DEFAULT_CREDIT})
  --without transcribe  leaves out transcriptions by Amazon Transcribe
  --app FOLDER          stacks that "cdk synth" has written, in place of a synthesis
  --yes                 accepts the rights without the question`;

/** Reads arguments and settings; writes the settings of this stage where the CDK app finds them. */
export function readUpOptions(args: readonly string[]): UpOptions {
  const { values } = readOptions(args, {
    options: {
      stage: { type: 'string' },
      config: { type: 'string' },
      catalog: { type: 'string' },
      credit: { type: 'string', default: DEFAULT_CREDIT },
      without: { type: 'string', multiple: true, default: [] },
      app: { type: 'string' },
      yes: { type: 'boolean', default: false },
    },
  });
  const settings = {
    ...settingsOf(values.config ?? process.env.CONFIG, values.stage),
    ...without(values.without),
  };
  const config = parseConfig(settings);
  const credit = parseUsd(values.credit);
  if (credit === undefined || credit <= 0n) throw new Error('--credit must be an amount of USD above 0');
  const folder = join(import.meta.dirname, '..', '..', '.build', 'up', config.stage);
  mkdirSync(folder, { recursive: true });
  const configFile = join(folder, 'config.json');
  writeFileSync(configFile, JSON.stringify(settings));
  return {
    config,
    configFile,
    assembly: values.app ?? join(folder, 'cdk.out'),
    isSynthesized: values.app !== undefined,
    catalog: values.catalog,
    credit,
    isConfirmed: values.yes,
  };
}

/** Returns the settings of what is left out. Throws for what cannot be. */
function without(parts: readonly string[]): { readonly transcribe?: false } {
  const unknown = parts.find((part) => part !== 'transcribe');
  if (unknown !== undefined) throw new Error(`--without takes transcribe, got ${unknown}`);
  return parts.length === 0 ? {} : { transcribe: false };
}

/** Adds settings to those that the CDK app reads. */
export function withSettings(
  options: UpOptions,
  added: Partial<Pick<Config, 'availabilityZones' | 'region'>>,
): UpOptions {
  const settings = { ...JSON.parse(readFileSync(options.configFile, 'utf8')), ...added };
  writeFileSync(options.configFile, JSON.stringify(settings));
  return { ...options, config: parseConfig(settings) };
}

/** Adds the region of the credentials if CloudFront is used: without the setting no alarm watches it. */
export function withRegion(options: UpOptions, region: string): UpOptions {
  const { config, isSynthesized } = options;
  if (isSynthesized || !hasEdge(config) || config.region !== undefined) return options;
  return withSettings(options, { region });
}

function settingsOf(file: string | undefined, stage: string | undefined): object {
  let settings: { readonly stage?: unknown } = {};
  try {
    if (file !== undefined && file !== '') settings = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`configuration: cannot read ${file} as JSON`, { cause });
  }
  if (stage === undefined) return settings;
  if (settings.stage !== undefined && settings.stage !== stage)
    throw new Error(`--stage is ${stage}, and ${file} names the stage ${settings.stage}: name one`);
  return { ...settings, stage };
}

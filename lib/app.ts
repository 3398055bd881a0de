/** Puts the stacks together and writes the cloud assembly. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleFunctions, SHARED_HOST } from './bundle.ts';
import { type Config, loadConfig } from './config/config.ts';
import { DataStack } from './stacks/data-stack.ts';
import { IngressStack } from './stacks/ingress-stack.ts';
import { OperationsStack } from './stacks/operations-stack.ts';
import { ServiceStack } from './stacks/service-stack.ts';

/** The whole service as a CDK app; `bundles` holds a folder for each function. */
export function buildApp(config: Config, bundles: string, outdir?: string): App {
  const app = new App(outdir === undefined ? {} : { outdir });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const id = (stack: string) => `Inference-${config.stage}-${stack}`;
  const data = new DataStack(app, id('data'), { config });
  const inference = new ServiceStack(app, id('inference'), { api: 'inference', config, data, bundles });
  const platform = new ServiceStack(app, id('platform'), {
    api: 'platform',
    config,
    data,
    bundles,
    ipRateLimit: inference.ipRateLimit,
  });
  const uploads = inference.functions.get('create-transcription');
  if (config.ingress !== 'none' && uploads !== undefined)
    new IngressStack(app, id('ingress'), { config, bundles, api: inference.api, hosting: uploads.hosting });
  new OperationsStack(app, id('operations'), { config, data, stacks: [inference, platform] });
  return app;
}

export interface SynthesizeOptions {
  /** JSON settings; the defaults when undefined. */
  readonly configFile: string | undefined;
  /** Where the assembly goes; the CDK's own choice when undefined. */
  readonly outdir?: string;
}

/** Bundles the functions and synthesizes; throws when a check of cdk-nag fails. */
export async function synthesizeApp(options: SynthesizeOptions): Promise<void> {
  const config = loadConfig(options.configFile);
  const bundles = join(import.meta.dirname, '..', '.build', 'functions');
  await bundleFunctions(bundles);
  const { directory } = buildApp(config, bundles, options.outdir).synth();
  // The shared host, which the settings may leave out of the templates: the local service runs it from here.
  cpSync(join(bundles, SHARED_HOST), join(directory, SHARED_HOST), { recursive: true });
}

/** Puts the stacks together and writes the cloud assembly. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleFunctions, SHARED_HOST } from './bundle.ts';
import { type Config, hasEdge, loadConfig } from './config/config.ts';
import { DataStack } from './stacks/data-stack.ts';
import { EdgeLimitStack } from './stacks/edge-limit-stack.ts';
import { IngressStack } from './stacks/ingress-stack.ts';
import { OperationsStack } from './stacks/operations-stack.ts';
import { ServiceStack } from './stacks/service-stack.ts';

/** The whole service as a CDK app; `bundles` holds a folder for each function. */
export function buildApp(config: Config, bundles: string, outdir?: string): App {
  const app = new App(outdir === undefined ? {} : { outdir });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const id = (stack: string) => `Inference-${config.stage}-${stack}`;
  const env = config.region === undefined ? {} : { env: { region: config.region } };
  const common = { ...env, config, bundles };
  const data = new DataStack(app, id('data'), { ...env, config, terminationProtection: true });
  const inference = new ServiceStack(app, id('inference'), { ...common, api: 'inference', data });
  const platform = new ServiceStack(app, id('platform'), {
    ...common,
    api: 'platform',
    data,
    ipRateLimit: inference.ipRateLimit,
  });
  if (hasEdge(config)) {
    const limit =
      config.compute === 'web-function' ? new EdgeLimitStack(app, id('edge-limit'), { config }) : undefined;
    new IngressStack(app, id('ingress'), {
      ...common,
      ...(limit === undefined ? {} : { crossRegionReferences: true }),
      data,
      inference,
      platform,
      webAclArn: limit?.webAclArn,
    });
  }
  new OperationsStack(app, id('operations'), { ...env, config, data, stacks: [inference, platform] });
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

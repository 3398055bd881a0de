/** Puts the stacks together and writes the cloud assembly. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { App, Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleFunctions, SHARED_HOST } from './bundle.ts';
import { type Config, hasEdge, loadConfig } from './config/config.ts';
import { edgeAlarmsStackName, type StackPart, stackNameOf } from './config/stage-names.ts';
import { limitRoles } from './constructs/security/bounded-roles.ts';
import { sealWith } from './constructs/security/customer-key.ts';
import { tagAll } from './observability/cost-watch.ts';
import { DataStack } from './stacks/data-stack.ts';
import { EdgeAlarmsStack } from './stacks/edge-alarms-stack.ts';
import { IngressStack, retainExports } from './stacks/ingress-stack.ts';
import { OperationsStack } from './stacks/operations-stack.ts';
import { ServiceStack } from './stacks/service-stack.ts';

/** The whole service as a CDK app; `bundles` holds a folder for each function. */
export function buildApp(config: Config, bundles: string, outdir?: string): App {
  const app = new App(outdir === undefined ? {} : { outdir });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const id = (part: StackPart) => stackNameOf(config.stage, part);
  const env = config.region === undefined ? {} : { env: { region: config.region } };
  const common = { ...env, config, bundles };
  // Of everything else nothing is lost with it.
  const data = new DataStack(app, id('data'), { ...env, config, terminationProtection: true });
  const inference = new ServiceStack(app, id('inference'), { ...common, api: 'inference', data });
  const platform = new ServiceStack(app, id('platform'), {
    ...common,
    api: 'platform',
    data,
    ipRateLimit: inference.ipRateLimit,
  });
  retainExports({ inference, platform });
  const ingress: IngressStack[] = [];
  if (hasEdge(config)) {
    const stack = new IngressStack(app, id('ingress'), {
      ...common,
      ...(config.region === undefined ? {} : { crossRegionReferences: true }),
      data,
      inference,
      platform,
    });
    ingress.push(stack);
    // Only with a region does CDK know whether what the alarms refer to is in another one.
    if (config.region !== undefined)
      new EdgeAlarmsStack(app, edgeAlarmsStackName(config.stage, config.region), { config, ingress: stack });
  }
  const operations = { ...env, config, data, stacks: [inference, platform] };
  const watching = new OperationsStack(app, id('operations'), operations);
  tagAll(app.node.children.filter(Stack.isStack), config);
  limitRoles(app, config);
  // Excludes resources in us-east-1, because the key is in another region.
  for (const stack of [data, inference, platform, watching, ...ingress]) sealWith(config, stack);
  return app;
}

export interface SynthesizeOptions {
  /** JSON settings; the defaults when undefined. */
  readonly configFile: string | undefined;
  /** The folder of the assembly; the CDK's default if undefined. */
  readonly outdir?: string;
}

/** Bundles the functions and synthesizes, concurrently with other processes; throws if a check of cdk-nag fails. */
export async function synthesizeApp(options: SynthesizeOptions): Promise<void> {
  const config = loadConfig(options.configFile);
  const build = join(import.meta.dirname, '..', '.build');
  mkdirSync(build, { recursive: true });
  const bundles = mkdtempSync(join(build, 'functions-'));
  try {
    await bundleFunctions(bundles, config);
    const { directory } = buildApp(config, bundles, options.outdir).synth();
    // The shared host, which the settings may leave out of the templates: the local service runs it from here.
    cpSync(join(bundles, SHARED_HOST), join(directory, SHARED_HOST), { recursive: true });
  } finally {
    // What is deployed has been copied into the assembly.
    rmSync(bundles, { recursive: true, force: true });
  }
}

/** The arrows of the design: what a module of each layer may import, and which contexts may import one another. */
import { posix } from 'node:path';
import { isTestCode, type Module, packageOf, targetOf } from './source-tree.ts';
import type { Import } from './syntax.ts';

/** The contexts, each with those that it may import. */
export const CONTEXTS: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  access: ['platform'],
  ledger: ['access', 'platform'],
  webhooks: ['access', 'platform'],
  telemetry: ['ledger', 'webhooks', 'access', 'platform'],
  inference: ['ledger', 'access', 'platform'],
  payments: ['ledger', 'access', 'platform'],
  marketplace: ['payments', 'ledger', 'webhooks', 'access', 'platform'],
  operations: ['inference', 'ledger', 'access', 'platform'],
  // Both compose every context.
  app: ['*'],
  servers: ['*'],
};

interface Layer {
  readonly name: string;
  /** The modules of the layer; the first layer that matches holds a module. */
  readonly holds: RegExp;
  /** The project's modules that it may import, in addition to what `ownFolder` allows. */
  readonly ours: RegExp;
  /** The project's modules that it may import types from, and nothing that runs. */
  readonly types?: RegExp;
  /** It may import its neighbors in the same folder. */
  readonly ownFolder?: true;
  /** Packages and built-ins that it may import; any that its deployment has, when absent. */
  readonly packages?: RegExp;
}

/** Packages without input, output, clock or chance. */
const PURE =
  /^(zod|ulid|minisearch|ipaddr\.js|node:crypto|node:zlib|@opentelemetry\/(api|otlp-transformer|resources|sdk-metrics))$/;

/** Support code of the tests of a context. */
export const TESTING = /^lambdas\/.*\/testing\//;

/** The parts of the platform that the stores of every context use. */
const CLIENTS = 'aws|connections|dynamodb|system';

export const LAYERS: readonly Layer[] = [
  { name: 'testing', holds: TESTING, ours: /^(lambdas|tools\/test-kit)\// },
  { name: 'bin', holds: /^bin\//, ours: /^lib\// },
  {
    name: 'lib',
    holds: /^lib\//,
    ours: /^(lib\/|lambdas\/platform\/contract\/|lambdas\/\w+\/(routes|grants)\.ts$)/,
  },
  {
    name: 'contract',
    holds: /^lambdas\/platform\/contract\//,
    ours: /^lambdas\/platform\/contract\//,
    packages: /^zod$/,
  },
  {
    name: 'routes',
    holds: /^lambdas\/\w+\/(routes|grants)\.ts$/,
    ours: /^lambdas\/(platform\/contract\/|\w+\/(routes|grants)\.ts$)/,
    packages: /^$/,
  },
  {
    name: 'core',
    holds: /^lambdas\/\w+\/core\//,
    ours: /^lambdas\/(\w+\/core\/|platform\/contract\/features\.ts$)/,
    packages: PURE,
  },
  {
    name: 'formats',
    holds: /^lambdas\/inference\/formats\//,
    ours: /^lambdas\/(inference\/formats|\w+\/core)\//,
    packages: PURE,
  },
  {
    name: 'openapi',
    holds: /^lambdas\/(app\/[\w-]+\.ts$|\w+\/openapi(-of-\w+)?\.ts$)/,
    ours: /^lambdas\/(app\/|platform\/contract\/|inference\/formats\/|\w+\/core\/|\w+\/openapi(-of-\w+)?\.ts$)/,
    packages: /^zod$/,
  },
  {
    name: 'providers',
    holds: /^lambdas\/inference\/providers\//,
    ours: /^lambdas\/(inference\/providers|\w+\/core)\//,
  },
  {
    name: 'http',
    holds: /^lambdas\/platform\/http\//,
    ours: /^lambdas\/platform\/(core|contract|http)\//,
  },
  {
    name: 'store',
    holds: new RegExp(`^lambdas/(\\w+/store|platform/(${CLIENTS}))/`),
    ours: new RegExp(`^lambdas/(\\w+/(core|store)|platform/(contract|${CLIENTS}))/`),
  },
  {
    name: 'handlers',
    holds: /^lambdas\/\w+\/handlers\//,
    ours: new RegExp(
      `^lambdas/(\\w+/(core|store|handlers)|inference/providers|platform/(contract|http|${CLIENTS}))/`,
    ),
  },
  // A process of its own, which composes as handlers do.
  { name: 'server', holds: /^lambdas\/servers\//, ours: /^lambdas\// },
  {
    name: 'handler',
    holds: /^lambdas\/\w+\/(endpoints|consumers)\/[^/]+\/handler\.ts$/,
    ours: /^lambdas\//,
  },
  // `endpoint.ts` and `consumer.ts`.
  {
    name: 'endpoint',
    holds: /^lambdas\/\w+\/(endpoints|consumers)\/[^/]+\/[^/]+\.ts$/,
    ours: /^lambdas\/(\w+\/core|inference\/formats)\//,
    ownFolder: true,
    packages: PURE,
  },
  { name: 'operator', holds: /^operator\//, ours: /^(operator|lambdas|lib\/config)\// },
  // A page in a browser: of the service it has the types of its responses.
  {
    name: 'console',
    holds: /^console\//,
    ours: /^console\//,
    types: /^lambdas\/(app|\w+\/core)\//,
    packages: /^(@tanstack\/react-(query|router)|eventsource-parser|oauth4webapi|react|react-dom|uplot|zod)$/,
  },
  { name: 'simulators', holds: /^tools\/simulators\//, ours: /^tools\/simulators\// },
  { name: 'local', holds: /^tools\/local\//, ours: /^(tools\/(local|simulators)|operator|lambdas)\// },
  {
    name: 'bench',
    holds: /^tools\/bench\//,
    ours: /^(tools\/(bench|local|simulators|test-kit)|operator|lib|lambdas)\//,
  },
  {
    name: 'release',
    holds: /^tools\/release\//,
    ours: /^(tools\/|operator\/|lib\/|lambdas\/|bin\/)/,
  },
];

export const layerOf = (path: string): Layer | undefined => LAYERS.find(({ holds }) => holds.test(path));

/** Returns why an import is not allowed; undefined if it is. */
export function rejection(
  module: Pick<Module, 'path'>,
  imported: Import,
  dependencies: ReadonlySet<string>,
): string | undefined {
  const layer = layerOf(module.path);
  if (layer === undefined) return `${module.path} is in no layer`;
  const target = targetOf(module, imported);
  if (target !== undefined) {
    const isNeighbor = layer.ownFolder && posix.dirname(target) === posix.dirname(module.path);
    const isTyped = imported.typeOnly && layer.types?.test(target) === true;
    const isAllowed =
      (layer.ours.test(target) && isContextAllowed(module.path, target)) ||
      isTyped ||
      (isNeighbor && !target.endsWith('/handler.ts'));
    return isAllowed ? undefined : `${module.path} (${layer.name}) -> ${target}`;
  }
  const name = packageOf(imported);
  if (layer.packages !== undefined && !layer.packages.test(name))
    return `${module.path} (${layer.name}) -> ${name}`;
  const isDeployed = module.path.startsWith('lambdas/') && !isTestCode(module.path);
  return isDeployed && !imported.typeOnly && !name.startsWith('node:') && !dependencies.has(name)
    ? `${module.path} -> ${name}, which is not deployed`
    : undefined;
}

const contextOf = (path: string): string | undefined => /^lambdas\/(\w+)\//.exec(path)?.[1];

/** Returns whether the contexts of two modules allow the import; modules outside of contexts have no such rule. */
function isContextAllowed(from: string, to: string): boolean {
  const context = contextOf(from);
  const other = contextOf(to);
  if (context === undefined || other === undefined || context === other) return true;
  const allowed = CONTEXTS[context] ?? [];
  return allowed.includes(other) || allowed.includes('*');
}

/** The arrows of the design: what a module of each layer may import. */
import { posix } from 'node:path';
import { type Module, packageOf, targetOf } from './source-tree.ts';
import type { Import } from './syntax.ts';

interface Layer {
  readonly name: string;
  /** The modules of the layer; the first layer that matches holds a module. */
  readonly holds: RegExp;
  /** Our own modules that it may import, beside what `ownFolder` allows. */
  readonly ours: RegExp;
  /** Our own modules that it may import types from, and nothing that runs. */
  readonly types?: RegExp;
  /** It may import its neighbours in the same folder. */
  readonly ownFolder?: true;
  /** Packages and built-ins that it may import; any that its deployment has, when absent. */
  readonly packages?: RegExp;
}

/** Packages without input, output, clock or chance. */
const PURE = /^(zod|tokenx|ulid|minisearch|ipaddr\.js|node:crypto)$/;

export const LAYERS: readonly Layer[] = [
  { name: 'bin', holds: /^bin\//, ours: /^lib\// },
  { name: 'lib', holds: /^lib\//, ours: /^(lib|lambdas\/contract)\// },
  { name: 'contract', holds: /^lambdas\/contract\//, ours: /^lambdas\/contract\//, packages: /^zod$/ },
  { name: 'core', holds: /^lambdas\/core\//, ours: /^lambdas\/core\//, packages: PURE },
  { name: 'providers', holds: /^lambdas\/providers\//, ours: /^lambdas\/(core|providers)\// },
  { name: 'adapters', holds: /^lambdas\/adapters\//, ours: /^lambdas\/(core|contract|adapters)\// },
  { name: 'edge', holds: /^lambdas\/edge\//, ours: /^lambdas\/(core|contract|edge)\// },
  {
    name: 'hosts',
    holds: /^lambdas\/hosts\//,
    ours: /^lambdas\/(core|contract|adapters|edge|providers|hosts)\//,
  },
  // What runs as a process of its own, and composes as handlers do.
  { name: 'program', holds: /^lambdas\/programs\//, ours: /^lambdas\// },
  { name: 'handler', holds: /^lambdas\/(endpoints|consumers)\/[^/]+\/handler\.ts$/, ours: /^lambdas\// },
  // `endpoint.ts` and `consumer.ts`.
  {
    name: 'endpoint',
    holds: /^lambdas\/(endpoints|consumers)\/[^/]+\/[^/]+\.ts$/,
    ours: /^lambdas\/core\//,
    ownFolder: true,
    packages: PURE,
  },
  {
    name: 'openapi',
    holds: /^lambdas\/openapi\//,
    ours: /^lambdas\/(core|contract|openapi)\//,
    packages: /^zod$/,
  },
  { name: 'operator', holds: /^operator\//, ours: /^(operator|lambdas)\// },
  // A page in a browser: of the service it knows the types of its answers.
  {
    name: 'console',
    holds: /^console\//,
    ours: /^console\//,
    types: /^lambdas\/(core|openapi)\//,
    packages: /^(@tanstack\/react-(query|router)|eventsource-parser|oauth4webapi|react|react-dom|uplot|zod)$/,
  },
  { name: 'simulators', holds: /^simulators\//, ours: /^simulators\// },
  { name: 'local', holds: /^local\//, ours: /^(local|operator|simulators|lambdas)\// },
  { name: 'bench', holds: /^bench\//, ours: /^(bench|local|operator|simulators|lib|lambdas)\// },
];

export const layerOf = (path: string): Layer | undefined => LAYERS.find(({ holds }) => holds.test(path));

/** Why an import is not allowed; undefined when it is. */
export function refusal(
  module: Pick<Module, 'path'>,
  wanted: Import,
  dependencies: ReadonlySet<string>,
): string | undefined {
  const layer = layerOf(module.path);
  if (layer === undefined) return `${module.path} is in no layer`;
  const target = targetOf(module, wanted);
  if (target !== undefined) {
    const neighbour = layer.ownFolder && posix.dirname(target) === posix.dirname(module.path);
    const typed = wanted.typeOnly && layer.types?.test(target) === true;
    const allowed = layer.ours.test(target) || typed || (neighbour && !target.endsWith('/handler.ts'));
    return allowed ? undefined : `${module.path} (${layer.name}) -> ${target}`;
  }
  const name = packageOf(wanted);
  if (layer.packages !== undefined && !layer.packages.test(name))
    return `${module.path} (${layer.name}) -> ${name}`;
  const deploys = module.path.startsWith('lambdas/') && !wanted.typeOnly && !name.startsWith('node:');
  return deploys && !dependencies.has(name) ? `${module.path} -> ${name}, which is not deployed` : undefined;
}

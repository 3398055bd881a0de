/** `route probe`: its arguments, what it shows before its first call, and its output. */
import { parseArgs } from 'node:util';
import { createSecretsClient } from '../../lambdas/adapters/aws/clients.ts';
import { parseCatalog } from '../../lambdas/core/inference/catalog/catalog-document.ts';
import { usdJson } from '../../lambdas/core/money.ts';
import type { Command, Outcome } from '../arguments.ts';
import type { Operator } from '../operator.ts';
import { createRouteAccess } from '../route-access.ts';
import { costOf } from './allowance.ts';
import { authorizationFor } from './authorize.ts';
import { mostOf, probeRoute } from './probe.ts';
import { isFile, type ProbedRoute, routeInFile, routeOf } from './probed-route.ts';

const USAGE = 'ROUTE|FILE [--route ROUTE] [--dry-run | --yes]';

/** Between two tries of a call. */
const PAUSE_MS = 2_000;

interface Arguments {
  /** The id of a route, or the path of a file. */
  readonly name: string;
  readonly routeId: string | undefined;
  readonly mode: 'show' | 'ask' | 'run';
}

function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { route: { type: 'string' }, 'dry-run': { type: 'boolean' }, yes: { type: 'boolean' } },
  });
  const [name, ...rest] = positionals;
  if (name === undefined || rest.length > 0) throw new Error('name one route, or one file');
  const { route: routeId, 'dry-run': isDry = false, yes = false } = values;
  if (routeId !== undefined && !isFile(name)) throw new Error('--route names a route of a catalog file');
  if (isDry && yes) throw new Error('--dry-run makes no calls, so there is nothing to say --yes to');
  return { name, routeId, mode: isDry ? 'show' : yes ? 'run' : 'ask' };
}

async function routeOfCatalog(operator: Pick<Operator, 'catalog'>, id: string): Promise<ProbedRoute> {
  const stored = await operator.catalog();
  if (stored === undefined) throw new Error('no catalog has been applied');
  return routeOf(parseCatalog(JSON.parse(stored.json)), id);
}

/** What the probe is of, and the most that it costs. Throws for a route that is not probed. */
function announced({ route, prices }: ProbedRoute): Record<string, unknown> {
  const most = mostOf(route);
  const cost = costOf(most, prices);
  return {
    ...{ route: route.id, protocol: route.protocol, upstream_model: route.upstream_model },
    at_most: {
      ...{ calls: most.calls, input_tokens: most.input, output_tokens: most.output },
      cost: cost === undefined ? null : usdJson(cost),
    },
  };
}

type Access = Parameters<typeof authorizationFor>[1];

async function run(probed: ProbedRoute, access: Access): Promise<Outcome> {
  const before = announced(probed);
  console.error(`probing ${probed.route.id}: ${JSON.stringify(before.at_most)}`);
  const authorization = await authorizationFor(probed.route, access);
  const { used, found, differences, unclear, dialect, asked } = await probeRoute(probed.route, {
    ...{ ...authorization, fetch, pauseMs: PAUSE_MS },
  });
  const cost = costOf(used, probed.prices);
  return {
    output: {
      ...before,
      used_at_most: { calls: used.calls, cost: cost === undefined ? null : usdJson(cost) },
      ...{ found, catalog: probed.route.dialect ?? null, differences, unclear, asked, dialect },
    },
    exitCode: differences.length === 0 ? 0 : 1,
  };
}

async function outcomeOf(probed: ProbedRoute, mode: Arguments['mode'], access: Access): Promise<Outcome> {
  if (mode === 'run') return run(probed, access);
  const next = mode === 'ask' ? { next: 'nothing was called: add --yes to make these calls' } : {};
  return { output: { ...announced(probed), ...next }, exitCode: mode === 'ask' ? 2 : 0 };
}

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

/** A route of a file, with the operator's own environment and AWS credentials. */
async function probeFile({ name, routeId, mode }: Arguments): Promise<Outcome> {
  const secrets = createSecretsClient({});
  try {
    const access = createRouteAccess({ environment: {}, client: {} }, secrets, SILENT);
    return await outcomeOf(routeInFile(name, routeId), mode, access);
  } finally {
    secrets.destroy();
  }
}

export const PROBE_COMMAND: Command = {
  usage: USAGE,
  alone(args) {
    const read = readArguments(args);
    return isFile(read.name) ? probeFile(read) : undefined;
  },
  async run(operator, args) {
    const { name, mode } = readArguments(args);
    return outcomeOf(await routeOfCatalog(operator, name), mode, operator.routes);
  },
};

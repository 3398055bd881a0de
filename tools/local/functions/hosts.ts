/** The functions whose routes are served by programs that listen themselves, in place of the functions. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROUTES } from '../../../lambdas/app/routes.ts';
import { LEASE_GRANTS } from '../../../lambdas/ledger/grants.ts';
import { requireTable, type TableName } from '../../../lambdas/platform/contract/tables.ts';
import type { FunctionDescription } from '../assembly/functions.ts';
import { ProgramHost } from './program-host.ts';

/** The program of a bundle that has one. */
const PROGRAM = 'host.mjs';

/** The folder of the shared host in an assembly, and what a person calls it. */
const SHARED_HOST = 'inference-host';

/** Every route of the inference API is served by the shared host, the uploads too. */
const SHARED: ReadonlySet<string> = new Set(
  ROUTES.filter(({ api }) => api === 'inference').map(({ endpoint }) => endpoint),
);

/** The functions that the shared host stands in for; it acts with the grants of all of them. */
const sharedFunctions = (functions: readonly FunctionDescription[]): readonly FunctionDescription[] =>
  functions.filter(({ label }) => SHARED.has(label));

export interface HostsOptions {
  readonly assemblyDir: string;
  readonly functions: readonly FunctionDescription[];
  readonly compute: 'functions' | 'host';
  readonly ingress: 'host' | 'none';
  /** The variables of a function's process, under the access key of a caller. */
  readonly environmentOf: (description: FunctionDescription, caller?: string) => Record<string, string>;
  readonly log: (line: string) => void;
}

/** The hosts by the ARN of each function that they stand in for; none is started before its first request. */
export function createHosts(options: HostsOptions): ReadonlyMap<string, ProgramHost> {
  const { assemblyDir, functions, compute, ingress, environmentOf, log } = options;
  if (compute === 'host') {
    const sharedArns = sharedFunctions(functions);
    const environment = Object.assign({}, ...sharedArns.map((each) => environmentOf(each, SHARED_HOST)));
    environment.POWERTOOLS_SERVICE_NAME = SHARED_HOST;
    const program = join(assemblyDir, SHARED_HOST, PROGRAM);
    const host = new ProgramHost({ program, label: SHARED_HOST, environment, log });
    return new Map(sharedArns.map(({ arn }) => [arn, host]));
  }
  const hosted = functions.filter(({ assetDir }) => existsSync(join(assetDir, PROGRAM)));
  return new Map(
    (ingress === 'none' ? [] : hosted).map((description) => {
      const { arn, assetDir, label } = description;
      const environment = environmentOf(description);
      return [arn, new ProgramHost({ program: join(assetDir, PROGRAM), label, environment, log })];
    }),
  );
}

/** The shared host as a caller of AWS: with the roles of the functions that it stands in for, and the grants of leases. */
export function sharedCaller(functions: readonly FunctionDescription[]) {
  const shared = sharedFunctions(functions);
  const environment = Object.assign({}, ...shared.map((each) => each.environment));
  const statements = Object.entries(LEASE_GRANTS.tables).map(([table, actions]) => ({
    Effect: 'Allow' as const,
    Action: actions.map((action) => `dynamodb:${action}`),
    Resource: `arn:aws:dynamodb:*:*:table/${requireTable(environment, table as TableName)}`,
  }));
  return { name: SHARED_HOST, roleArns: shared.map(({ roleArn }) => roleArn), statements };
}

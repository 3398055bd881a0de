/**
 * The target of the operator's command: the local service, or a deployment in AWS that is located by its stack's
 * outputs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  outputName,
  PAYMENT_API_URL,
  SECRET_VARIABLES,
  smokeSecretName,
  VARIABLES,
} from '../lambdas/platform/contract/environment.ts';
import { replacedVariable, TABLES, type Table } from '../lambdas/platform/contract/tables.ts';
import { type Addresses, deployedAddresses, localAddresses } from './addresses.ts';
import { REDRIVES } from './redrive.ts';

export interface OperatorTarget {
  /** Table names and secret, by the functions' own variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Returns the addresses of the service, if they are available for this target. */
  readonly addresses?: () => Promise<Addresses>;
  /** Endpoint, region and credentials; empty in AWS, where the SDK reads its defaults. */
  readonly client: {
    readonly endpoint?: string;
    readonly region?: string;
    readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
}

/** The key id that the local runtime allows everything. */
const LOCAL_ADMINISTRATOR = { accessKeyId: 'local-admin', secretAccessKey: 'local-admin' } as const;

const LOCAL_REGION = 'us-east-1';

export function localTarget(
  awsEndpoint: string,
  environment: Readonly<Record<string, string>>,
): OperatorTarget {
  return {
    environment,
    client: { endpoint: awsEndpoint, region: LOCAL_REGION, credentials: LOCAL_ADMINISTRATOR },
  };
}

/** The service that `npm start` runs on this state folder; throws a clear error when there is none. */
export function readLocalTarget(stateDir: string): OperatorTarget {
  let text: string;
  try {
    text = readFileSync(join(stateDir, 'runtime.json'), 'utf8');
  } catch (cause) {
    throw new Error(
      `no local service has run in ${stateDir}: start one with "npm start", set LOCAL_DIR to the folder of one, or name a --stage in AWS`,
      { cause },
    );
  }
  const { aws_endpoint: endpoint, environment } = JSON.parse(text) as {
    aws_endpoint: string;
    environment: Record<string, string>;
  };
  return { ...localTarget(endpoint, environment), addresses: async () => localAddresses(stateDir) };
}

/** The variables that an operator uses, by the stack whose outputs name them. */
export const OPERATED = {
  data: [
    ...SECRET_VARIABLES,
    ...Object.values(TABLES).map(({ variable }) => variable),
    VARIABLES.marketFeeBasisPoints,
    VARIABLES.buildsBucket,
  ],
  platform: [VARIABLES.eventBus, ...Object.values(REDRIVES).flatMap(({ from, to }) => [...from, to])],
} as const;

/** The variables that exist only for tables in whose place the settings have restored ones. */
const REPLACED: readonly string[] = Object.values(TABLES).map(({ variable }) => replacedVariable(variable));

/** The variables without which a deployment works: those, and those of a market. */
const OPTIONAL: ReadonlySet<string> = new Set([
  ...REPLACED,
  ...Object.values<Table>(TABLES).flatMap(({ setting, variable }) =>
    setting === 'market' ? [variable] : [],
  ),
  VARIABLES.marketFeeBasisPoints,
  VARIABLES.buildsBucket,
]);

/** The deployment of that stage, with the caller's own AWS credentials. */
export async function readAwsTarget(stage: string): Promise<OperatorTarget> {
  const client = new CloudFormationClient({});
  const stacks = Object.entries(OPERATED).map(([stack, variables]) =>
    readOutputs(client, `Inference-${stage}-${stack}`, variables),
  );
  return {
    environment: {
      ...Object.fromEntries((await Promise.all(stacks)).flat()),
      [VARIABLES.smokeSecret]: smokeSecretName(stage),
      [VARIABLES.paymentApiUrl]: PAYMENT_API_URL,
    },
    addresses: () => deployedAddresses(client, stage),
    client: {},
  };
}

async function readOutputs(
  client: CloudFormationClient,
  stackName: string,
  variables: readonly string[],
): Promise<[string, string][]> {
  const { Stacks: stacks } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
  const outputs = new Map(
    stacks?.[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
  );
  return [...variables, ...REPLACED].flatMap((variable): [string, string][] => {
    const value = outputs.get(outputName(variable));
    if (value !== undefined) return [[variable, value]];
    if (OPTIONAL.has(variable)) return [];
    throw new Error(`stack ${stackName} has no output ${outputName(variable)}`);
  });
}

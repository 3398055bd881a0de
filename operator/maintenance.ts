/** Maintenance mode: the parameter that closes and opens a deployment, which no function can write. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { createParameters } from '../lambdas/platform/aws/parameters.ts';
import { requireVariable, VARIABLES } from '../lambdas/platform/contract/environment.ts';
import { OPEN_VALUE } from '../lambdas/platform/contract/maintenance.ts';
import type { Clock } from '../lambdas/platform/core/ports.ts';
import type { OperatorTarget } from './target.ts';

const closedSchema = z.object({ since: z.iso.datetime(), reason: z.string() });

interface ClosedState {
  readonly closed: true;
  readonly since: string;
  readonly reason: string;
}

export interface Maintenance {
  /** Closes the service, unless it is closed. Returns since when it is closed, and why. */
  close(reason: string): Promise<ClosedState>;
  open(): Promise<void>;
}

/** The text is for operators, and a parameter has at most 4,096 characters. */
const MAX_REASON = 500;

export function createMaintenance(
  { environment, client: { endpoint } }: OperatorTarget,
  client: DynamoDBClient,
  clock: Clock,
): Maintenance {
  const name = () => requireVariable(environment, VARIABLES.maintenanceParameter);
  const parameters = createParameters({
    client,
    endpoint: endpoint ?? process.env.AWS_ENDPOINT_URL_SSM ?? process.env.AWS_ENDPOINT_URL,
  });
  return {
    async close(reason) {
      if (reason.length > MAX_REASON) throw new Error(`--reason must have at most ${MAX_REASON} characters`);
      const current = closedOf(await parameters.read(name()));
      if (current !== undefined) return { closed: true, ...current };
      const value = { since: new Date(clock()).toISOString(), reason };
      await parameters.write(name(), JSON.stringify(value));
      return { closed: true, ...value };
    },
    open: () => parameters.write(name(), OPEN_VALUE),
  };
}

/** Returns the content of the value of a closed service. A value that was written by hand has none, so is replaced. */
function closedOf(value = OPEN_VALUE): z.infer<typeof closedSchema> | undefined {
  try {
    return closedSchema.parse(JSON.parse(value));
  } catch {
    return undefined;
  }
}

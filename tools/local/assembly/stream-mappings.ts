/** Describes which functions follow the changes of which tables. */
import { streamArnOf } from './identities.ts';
import type { Stacks } from './stacks.ts';

export interface StreamMappingDescription {
  readonly functionName: string;
  readonly streamArn: string;
  readonly tableName: string;
  readonly batchSize: number;
  /** A batch that fails is halved before it is tried again. */
  readonly bisect: boolean;
  readonly maxRetries: number;
  /** The queue for notes about discarded records. */
  readonly deadQueueArn: string | undefined;
}

interface MappingProperties {
  readonly EventSourceArn: string;
  readonly FunctionName: string;
  readonly Enabled?: boolean;
  readonly BatchSize?: number;
  readonly BisectBatchOnFunctionError?: boolean;
  readonly MaximumRetryAttempts?: number;
  readonly StartingPosition?: string;
  readonly FilterCriteria?: unknown;
  readonly FunctionResponseTypes?: unknown;
  readonly DestinationConfig?: { readonly OnFailure?: { readonly Destination?: string } };
}

/** Lambda's default for DynamoDB streams (Lambda developer guide, DynamoDB event source mapping). */
const DEFAULT_BATCH_SIZE = 100;

/** Every mapping of a table's stream that is switched on; throws an error that names one with settings it does not act out. */
export function describeStreamMappings(stacks: Stacks): readonly StreamMappingDescription[] {
  const tables = stacks.resources('AWS::DynamoDB::GlobalTable').map(({ identity }) => identity.ref);
  return stacks.resources('AWS::Lambda::EventSourceMapping').flatMap((resource) => {
    const { location } = resource;
    const properties = resource.properties<MappingProperties>();
    const streamArn = properties.EventSourceArn;
    if (properties.Enabled === false || !streamArn.includes(':dynamodb:')) return [];
    const tableName = tables.find((name) => streamArnOf(name) === streamArn);
    if (tableName === undefined) throw new Error(`${location}: no stack defines a table with ${streamArn}`);
    if (properties.StartingPosition !== 'TRIM_HORIZON')
      throw new Error(`${location}: the local runtime reads a stream from its beginning only`);
    if (properties.FilterCriteria !== undefined || properties.FunctionResponseTypes !== undefined)
      throw new Error(
        `${location}: the local runtime neither filters a stream nor reads reports of failures`,
      );
    return {
      functionName: properties.FunctionName,
      streamArn,
      tableName,
      batchSize: Number(properties.BatchSize ?? DEFAULT_BATCH_SIZE),
      bisect: properties.BisectBatchOnFunctionError === true,
      maxRetries: Number(properties.MaximumRetryAttempts ?? -1),
      deadQueueArn: properties.DestinationConfig?.OnFailure?.Destination,
    };
  });
}

/** Describes the queues of an assembly, and which of them Lambda reads. */
import type { Stacks } from './stacks.ts';

export interface QueueDescription {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  /** The time for which a received message is hidden. */
  readonly visibilityMs: number;
  /** The delay of every message. */
  readonly delayMs: number;
  readonly retentionMs: number;
  /** The queue for messages that were received `maxReceives` times without success. */
  readonly dead: { readonly queueArn: string; readonly maxReceives: number } | undefined;
}

interface QueueProperties {
  readonly FifoQueue?: boolean;
  readonly VisibilityTimeout?: number;
  readonly DelaySeconds?: number;
  readonly MessageRetentionPeriod?: number;
  readonly RedrivePolicy?: { readonly deadLetterTargetArn: string; readonly maxReceiveCount: number };
}

/** SQS's defaults where a template sets nothing (AWS CloudFormation reference, AWS::SQS::Queue). */
const DEFAULT_VISIBILITY_SECONDS = 30;
const DEFAULT_RETENTION_SECONDS = 4 * 86_400;

export function describeQueues(stacks: Stacks): readonly QueueDescription[] {
  return stacks.resources('AWS::SQS::Queue').map((resource) => {
    const properties = resource.properties<QueueProperties>();
    if (properties.FifoQueue)
      throw new Error(`${resource.location}: the local runtime knows standard queues only`);
    const redrive = properties.RedrivePolicy;
    return {
      name: String(resource.identity.attributes.QueueName),
      arn: resource.arn,
      url: resource.identity.ref,
      visibilityMs: Number(properties.VisibilityTimeout ?? DEFAULT_VISIBILITY_SECONDS) * 1000,
      delayMs: Number(properties.DelaySeconds ?? 0) * 1000,
      retentionMs: Number(properties.MessageRetentionPeriod ?? DEFAULT_RETENTION_SECONDS) * 1000,
      dead:
        redrive === undefined
          ? undefined
          : { queueArn: redrive.deadLetterTargetArn, maxReceives: Number(redrive.maxReceiveCount) },
    };
  });
}

/** A function that reads a queue. */
export interface MappingDescription {
  readonly functionName: string;
  readonly queueArn: string;
  readonly batchSize: number;
  /** Invocations at once. */
  readonly maxConcurrency: number;
  /** The function says which messages of a batch have failed; the others are done. */
  readonly partialFailures: boolean;
}

interface MappingProperties {
  readonly EventSourceArn: string;
  readonly FunctionName: string;
  readonly Enabled?: boolean;
  readonly BatchSize?: number;
  readonly FunctionResponseTypes?: readonly string[];
  readonly ScalingConfig?: { readonly MaximumConcurrency?: number };
}

/** Lambda's defaults for queues (Lambda developer guide, SQS event source mapping). */
const DEFAULT_BATCH_SIZE = 10;
const DEFAULT_CONCURRENCY = 1000;

export function describeMappings(stacks: Stacks): readonly MappingDescription[] {
  return stacks.resources('AWS::Lambda::EventSourceMapping').flatMap((resource) => {
    const properties = resource.properties<MappingProperties>();
    if (properties.Enabled === false || properties.EventSourceArn.includes(':dynamodb:')) return [];
    if (!properties.EventSourceArn.includes(':sqs:'))
      throw new Error(
        `${resource.location}: the local runtime maps queues only, not ${properties.EventSourceArn}`,
      );
    return {
      functionName: properties.FunctionName,
      queueArn: properties.EventSourceArn,
      batchSize: Number(properties.BatchSize ?? DEFAULT_BATCH_SIZE),
      maxConcurrency: Number(properties.ScalingConfig?.MaximumConcurrency ?? DEFAULT_CONCURRENCY),
      partialFailures: properties.FunctionResponseTypes?.includes('ReportBatchItemFailures') ?? false,
    };
  });
}

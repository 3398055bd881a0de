/** Describes the DynamoDB tables of an assembly as input of the CreateTable call. */
import type {
  AttributeDefinition,
  KeySchemaElement,
  Projection,
  StreamViewType,
} from '@aws-sdk/client-dynamodb';
import type { Stacks } from './stacks.ts';

export interface TableDescription {
  readonly name: string;
  readonly keySchema: KeySchemaElement[];
  readonly attributes: AttributeDefinition[];
  readonly indexes: readonly IndexDescription[];
  /** Attribute (epoch seconds) by which items expire. */
  readonly ttlAttribute?: string;
  /** The content of a change record in the table's stream. */
  readonly stream?: StreamViewType;
}

interface IndexDescription {
  readonly IndexName: string;
  readonly KeySchema: KeySchemaElement[];
  readonly Projection: Projection;
}

interface TableProperties {
  readonly KeySchema: KeySchemaElement[];
  readonly AttributeDefinitions: AttributeDefinition[];
  readonly GlobalSecondaryIndexes?: readonly IndexDescription[];
  readonly LocalSecondaryIndexes?: unknown;
  readonly StreamSpecification?: { readonly StreamViewType?: StreamViewType };
  readonly TimeToLiveSpecification?: { readonly AttributeName?: string; readonly Enabled?: boolean };
}

export function describeTables(stacks: Stacks): readonly TableDescription[] {
  return stacks.resources('AWS::DynamoDB::GlobalTable').map((resource) => {
    const properties = resource.properties<TableProperties>();
    if (properties.LocalSecondaryIndexes !== undefined)
      throw new Error(`${resource.location}: the local runtime makes no local secondary indexes`);
    const ttl = properties.TimeToLiveSpecification;
    const stream = properties.StreamSpecification?.StreamViewType;
    return {
      name: resource.identity.ref,
      keySchema: properties.KeySchema,
      attributes: properties.AttributeDefinitions,
      indexes: properties.GlobalSecondaryIndexes ?? [],
      ...(stream === undefined ? {} : { stream }),
      ...(ttl?.Enabled === true && ttl.AttributeName !== undefined
        ? { ttlAttribute: ttl.AttributeName }
        : {}),
    };
  });
}

/** The layouts of a stage's data: what its record permits, and the commands that read and change the record. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  finishedLayouts,
  type StageLayouts,
  unreadableKinds,
} from '../../lambdas/platform/contract/layouts.ts';
import { RELEASE } from '../../lambdas/platform/contract/release.ts';
import { STAGE_ITEM } from '../../lambdas/platform/contract/stage.ts';
import { text } from '../../lambdas/platform/dynamodb/attribute-values.ts';
import { readItem } from '../../lambdas/platform/dynamodb/reads.ts';
import { decodeStage, encodeLayouts } from '../../lambdas/platform/dynamodb/stage-item.ts';

/** Reads the record of a stage in the table of its catalog. */
export async function readStageLayouts(client: DynamoDBClient, table: string): Promise<StageLayouts> {
  const item = await readItem(client, { TableName: table, Key: { part: text(STAGE_ITEM) } });
  return decodeStage(item).layouts;
}

/** Throws if the data of the stage may have layouts that this version does not read. */
export function requireReadable(layouts: StageLayouts): void {
  const kinds = unreadableKinds(layouts);
  if (kinds.length > 0)
    throw new Error(
      `the data of the stage is newer than version ${RELEASE} (${kinds.join(', ')}): use the version that is deployed, or a newer one`,
    );
}

export interface LayoutOptions {
  readonly client: DynamoDBClient;
  /** The table of the catalog. */
  readonly table: () => string;
  /** Returns the version that the stage serves with. */
  readonly servedRelease: () => Promise<string>;
}

export function createLayouts({ client, table, servedRelease }: LayoutOptions) {
  const read = () => readStageLayouts(client, table());
  const record = (layouts: StageLayouts, condition: string, stored?: StageLayouts) =>
    client.send(
      new UpdateItemCommand({
        TableName: table(),
        Key: { part: text(STAGE_ITEM) },
        UpdateExpression: 'SET layouts = :layouts',
        ConditionExpression: condition,
        ExpressionAttributeValues: {
          ':layouts': encodeLayouts(layouts),
          ...(stored && { ':stored': encodeLayouts(stored) }),
        },
      }),
    );
  /** Does nothing if the record states layouts. */
  const recordFirst = (layouts: StageLayouts) =>
    record(layouts, 'attribute_not_exists(layouts)').catch((failure) => {
      if (!(failure instanceof ConditionalCheckFailedException)) throw failure;
    });
  return {
    read,
    /**
     * Has a stage that never had a catalog begin with the newest layouts: no version before has served a call there. Does
     * nothing if it serves another version than this one, or does not respond: then `finish` remains.
     */
    async begin(): Promise<void> {
      const release = await servedRelease().catch(() => undefined);
      if (release === RELEASE) await recordFirst(finishedLayouts({}));
    },
    /** Has a new stage begin with the first layouts, as one that was upgraded and is not finished. */
    beginUnfinished: () => recordFirst({}),
    /** Lists the kinds that have another layout after `finish`. */
    async pending(): Promise<readonly string[]> {
      const stored = await read();
      const finished = finishedLayouts(stored);
      return Object.keys(finished).filter((kind) => finished[kind] !== stored[kind]);
    },
    /** Rejects if this version is older than the data. */
    requireReadable: async () => requireReadable(await read()),
    /**
     * Permits the newest layouts of the version that serves, which must be this one; returns them. From then on no version
     * that does not read them may serve. Repeating it changes nothing.
     */
    async finish(): Promise<StageLayouts> {
      const release = await servedRelease();
      if (release !== RELEASE)
        throw new Error(
          `the stage serves version ${release}, and this is ${RELEASE}: use the command of that version`,
        );
      const stored = await read();
      requireReadable(stored);
      const layouts = finishedLayouts(stored);
      // Another version may have finished meanwhile.
      await record(layouts, 'attribute_not_exists(layouts) OR layouts = :stored', stored);
      return layouts;
    },
  };
}

/** One conditional update of a shard's item, in the form in which every write of a wallet sends it. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { NanoUsd } from '../../../platform/core/money.ts';
import { type Item, number, text } from '../../../platform/dynamodb/attribute-values.ts';

export interface ShardUpdate {
  /** The hold or lease that is called `#entry` in paths. */
  readonly entryId?: string;
  /** Added to numbers of the shard; one that it does not have counts as 0. */
  readonly add: Readonly<Record<string, bigint>>;
  /** New values by path; undefined removes one. */
  readonly set?: Readonly<Record<string, AttributeValue | undefined>>;
  /** The values that the shard must have, by path; undefined if it must have none. */
  readonly expected?: Readonly<Record<string, AttributeValue | undefined>>;
  readonly minBalance?: NanoUsd;
  /** Further conditions, with the values that they name. */
  readonly conditions?: readonly string[];
  readonly values?: Item;
}

/** Returns the update of an existing shard. */
export function shardUpdate(table: string, walletId: string, update: ShardUpdate) {
  const { entryId, add, set = {}, expected = {}, minBalance, conditions = [], values = {} } = update;
  const bound: Item = { ...values };
  const bind = (value: AttributeValue): string => {
    const name = `:v${Object.keys(bound).length}`;
    bound[name] = value;
    return name;
  };
  const actions = {
    ADD: Object.entries(add).flatMap(([name, by]) => (by === 0n ? [] : `${name} ${bind(number(by))}`)),
    SET: Object.entries(set).flatMap(([path, value]) => (value ? `${path} = ${bind(value)}` : [])),
    REMOVE: Object.entries(set).flatMap(([path, value]) => (value ? [] : path)),
  };
  return {
    TableName: table,
    Key: { wallet_id: text(walletId) },
    UpdateExpression: Object.entries(actions)
      .flatMap(([action, parts]) => (parts.length === 0 ? [] : `${action} ${parts.join(', ')}`))
      .join(' '),
    ConditionExpression: [
      minBalance === undefined ? 'attribute_exists(wallet_id)' : `balance >= ${bind(number(minBalance))}`,
      ...Object.entries(expected).map(([path, value]) =>
        value ? `${path} = ${bind(value)}` : `attribute_not_exists(${path})`,
      ),
      ...conditions,
    ].join(' AND '),
    ...(entryId === undefined ? {} : { ExpressionAttributeNames: { '#entry': entryId } }),
    ExpressionAttributeValues: bound,
  };
}

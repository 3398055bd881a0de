/** Clauses of one conditional update (DynamoDB developer guide, update and condition expressions). */
import type { Item } from '../dynamodb/attribute-values.ts';

/** The part of an update's input that says what to do and when. */
export interface Expression {
  readonly UpdateExpression: string;
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Item;
}

/** Collects the clauses of one expression. */
export class Clauses {
  readonly sets: string[] = [];
  readonly conditions: string[] = [];
  readonly names: Record<string, string> = {};
  readonly values: Item = {};

  build(removal = ''): Expression {
    const set = this.sets.length === 0 ? '' : `SET ${this.sets.join(', ')}`;
    return {
      UpdateExpression: `${set}${removal}`.trim(),
      ConditionExpression: this.conditions.join(' AND '),
      // DynamoDB refuses an empty set of names or values.
      ...(Object.keys(this.names).length === 0 ? {} : { ExpressionAttributeNames: this.names }),
      ...(Object.keys(this.values).length === 0 ? {} : { ExpressionAttributeValues: this.values }),
    };
  }
}

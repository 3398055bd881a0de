import { describe, expect, it } from '@jest/globals';
import { neededAccess, writtenTables } from './dynamodb-access.ts';

const arn = (table: string) => `arn:aws:dynamodb:us-east-1:000000000000:table/${table}`;
const access = (operation: string, request: unknown) =>
  neededAccess(operation, Buffer.from(JSON.stringify(request))).map(({ action, resourceArn }) => [
    action,
    resourceArn,
  ]);

describe('the access that a DynamoDB call needs', () => {
  it('consists of its own action on the table, by name or by ARN', () => {
    expect(access('GetItem', { TableName: 'A' })).toEqual([['dynamodb:GetItem', arn('A')]]);
    expect(access('GetItem', { TableName: arn('A') })).toEqual([['dynamodb:GetItem', arn('A')]]);
  });

  it('covers the index if the call names one', () => {
    expect(access('Query', { TableName: 'A', IndexName: 'i' })).toEqual([
      ['dynamodb:Query', `${arn('A')}/index/i`],
    ]);
  });

  it('covers every table of a batch', () => {
    expect(access('BatchWriteItem', { RequestItems: { A: [], B: [] } })).toEqual([
      ['dynamodb:BatchWriteItem', arn('A')],
      ['dynamodb:BatchWriteItem', arn('B')],
    ]);
  });

  it('consists of the action of each item of a transaction', () => {
    const TransactItems = [
      { Put: { TableName: 'A' } },
      { ConditionCheck: { TableName: 'B' } },
      { Update: { TableName: 'A' } },
      { Delete: { TableName: 'A' } },
    ];
    expect(access('TransactWriteItems', { TransactItems })).toEqual([
      ['dynamodb:PutItem', arn('A')],
      ['dynamodb:ConditionCheckItem', arn('B')],
      ['dynamodb:UpdateItem', arn('A')],
      ['dynamodb:DeleteItem', arn('A')],
    ]);
    expect(access('TransactGetItems', { TransactItems: [{ Get: { TableName: 'B' } }] })).toEqual([
      ['dynamodb:GetItem', arn('B')],
    ]);
  });

  it('names the tables that a call may write to, and none for a call that reads', () => {
    const written = (operation: string, input: object) => [
      ...writtenTables(neededAccess(operation, Buffer.from(JSON.stringify(input)))),
    ];
    const TransactItems = [{ Put: { TableName: 'A' } }, { ConditionCheck: { TableName: 'B' } }];
    for (const operation of ['PutItem', 'UpdateItem', 'DeleteItem'])
      expect(written(operation, { TableName: arn('A') })).toEqual(['A']);
    expect(written('BatchWriteItem', { RequestItems: { A: [], B: [] } })).toEqual(['A', 'B']);
    expect(written('TransactWriteItems', { TransactItems })).toEqual(['A']);
    for (const operation of ['GetItem', 'Query', 'Scan'])
      expect(written(operation, { TableName: 'A', IndexName: 'by-owner' })).toEqual([]);
  });

  it('causes an error if the call names no table', () => {
    expect(() => access('ExecuteStatement', { Statement: 'SELECT 1' })).toThrow('ExecuteStatement');
    expect(() => neededAccess('GetItem', Buffer.from('nonsense'))).toThrow('not a JSON object');
  });
});

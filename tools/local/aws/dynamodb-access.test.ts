import { describe, expect, it } from '@jest/globals';
import { neededAccess, writtenTables } from './dynamodb-access.ts';

const arn = (table: string) => `arn:aws:dynamodb:us-east-1:000000000000:table/${table}`;
const access = (operation: string, request: unknown) =>
  neededAccess(operation, Buffer.from(JSON.stringify(request))).map(({ action, resourceArn }) => [
    action,
    resourceArn,
  ]);

const TRANSACTION = {
  TransactItems: [
    { Put: { TableName: 'A' } },
    { ConditionCheck: { TableName: 'B' } },
    { Update: { TableName: 'A' } },
    { Delete: { TableName: 'A' } },
  ],
};

describe('the access that a DynamoDB call needs', () => {
  it.each<readonly [string, string, object, readonly string[]]>([
    ['its action on the table', 'GetItem', { TableName: 'A' }, ['GetItem A']],
    ['the table of an ARN', 'GetItem', { TableName: arn('A') }, ['GetItem A']],
    ['the index that it names', 'Query', { TableName: 'A', IndexName: 'i' }, ['Query A/index/i']],
    [
      'every table of a batch',
      'BatchWriteItem',
      { RequestItems: { A: [], B: [] } },
      ['BatchWriteItem A', 'BatchWriteItem B'],
    ],
    [
      'the action of each item of a transaction',
      'TransactWriteItems',
      TRANSACTION,
      ['PutItem A', 'ConditionCheckItem B', 'UpdateItem A', 'DeleteItem A'],
    ],
  ])('names %s', (_, operation, request, expected) => {
    expect(access(operation, request)).toEqual(
      expected
        .map((each) => each.split(' '))
        .map(([action, table = '']) => [`dynamodb:${action}`, arn(table)]),
    );
  });

  it.each<readonly [string, object]>([
    ['PutItem', { TableName: 'A', Item: { id: {}, mark: {} } }],
    ['UpdateItem', { TableName: 'A', Key: { id: {} }, UpdateExpression: 'SET mark = :one' }],
    [
      'UpdateItem',
      {
        TableName: 'A',
        Key: { id: {} },
        UpdateExpression: 'REMOVE #m',
        ExpressionAttributeNames: { '#m': 'mark' },
      },
    ],
    ['TransactWriteItems', { TransactItems: [{ Put: { TableName: 'A', Item: { id: {}, mark: {} } } }] }],
    ['BatchWriteItem', { RequestItems: { A: [{ PutRequest: { Item: { id: {}, mark: {} } } }] } }],
  ])('lists the attributes that a write names: %s %j', (operation, request) => {
    const [needed] = neededAccess(operation, Buffer.from(JSON.stringify(request)));
    expect(needed?.attributes).toEqual(expect.arrayContaining(['id', 'mark']));
    expect(needed?.attributes).not.toContain('one');
  });

  it('names the tables that a call may write to, and none for a call that reads', () => {
    const written = (operation: string, input: object) => [
      ...writtenTables(neededAccess(operation, Buffer.from(JSON.stringify(input)))),
    ];
    for (const operation of ['PutItem', 'UpdateItem', 'DeleteItem'])
      expect(written(operation, { TableName: arn('A') })).toEqual(['A']);
    expect(written('BatchWriteItem', { RequestItems: { A: [], B: [] } })).toEqual(['A', 'B']);
    expect(written('TransactWriteItems', TRANSACTION)).toEqual(['A']);
    for (const operation of ['GetItem', 'Query', 'Scan'])
      expect(written(operation, { TableName: 'A', IndexName: 'by-owner' })).toEqual([]);
  });

  it('causes an error if the call names no table', () => {
    expect(() => access('ExecuteStatement', { Statement: 'SELECT 1' })).toThrow('ExecuteStatement');
    expect(() => neededAccess('GetItem', Buffer.from('nonsense'))).toThrow('not a JSON object');
  });
});

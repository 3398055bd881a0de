import { expect, it } from '@jest/globals';
import { encodeRecord } from '../../ledger/store/usage-store.ts';
import { CALL } from '../testing/calls.ts';
import { decodeCall, settledCalls } from './usage-changes.ts';

const record = (eventName: string, NewImage?: object) => ({ eventName, dynamodb: { Keys: {}, NewImage } });

it('new records are calls, as they are stored; changes and removals are none', () => {
  const item = encodeRecord(CALL);
  const Records = [
    record('INSERT', item),
    record('MODIFY', { ...item, replayed: { N: '1' } }),
    record('REMOVE'),
  ];
  const calls = settledCalls({ Records }, () => {
    throw new Error('every record can be read');
  });
  expect(calls).toEqual([{ id: CALL.id, accountId: CALL.accountId, item }]);
  expect(decodeCall(JSON.parse(JSON.stringify(calls[0]?.item)))).toEqual(CALL);
});

it('a record that cannot be read is reported, and holds up no other', () => {
  let unreadable = 0;
  const Records = [record('INSERT', { key_id: { S: 'key_1' } }), record('INSERT', encodeRecord(CALL))];
  const calls = settledCalls({ Records }, () => {
    unreadable += 1;
  });
  expect([calls.length, unreadable]).toEqual([1, 1]);
});

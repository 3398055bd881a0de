import { describe, expect, it } from '@jest/globals';
import { describeService } from '../../app/operations.ts';
import { SUBSCRIBABLE_TYPES } from './event.ts';
import { EVENT_DATA, testData } from './event-data.ts';

const { webhooks } = describeService() as { readonly webhooks: Readonly<Record<string, unknown>> };

describe('the data of events', () => {
  it('covers every type that can be subscribed to', () => {
    expect(Object.keys(EVENT_DATA).sort()).toEqual([...SUBSCRIBABLE_TYPES].sort());
  });

  it.each(Object.entries(EVENT_DATA))(
    'fills every field of a test event, and marks it: %s',
    (type, { schema }) => {
      const { test, ...data } = testData(type);
      expect(test).toBe(true);
      expect(Object.keys(data)).toEqual(Object.keys(schema.shape));
      expect(Object.values(data)).not.toContain(undefined);
      expect(schema.strict().safeParse(data)).toMatchObject({ success: true });
    },
  );

  it.each(Object.entries(EVENT_DATA))('contains the described fields: %s', (type, { schema }) => {
    const properties = Object.fromEntries(
      Object.keys(schema.shape).map((name) => [
        name,
        expect.objectContaining({ examples: [testData(type)[name]] }),
      ]),
    );
    const body = { properties: { type: { const: type }, data: { properties } } };
    expect(webhooks[type]).toMatchObject({
      post: { requestBody: { content: { 'application/json': { schema: body } } } },
    });
  });
});

import { describe, expect, it } from '@jest/globals';
import { SynthesizedApp } from '../../test/template/synthesized-app.ts';

const app = new SynthesizedApp();
const nameOf = (expression: unknown) => {
  const reference = app.reference('platform', expression);
  return reference === undefined ? undefined : app.functionName('platform', reference.id);
};

describe('the market', () => {
  it.each([
    ['follow-listings', 1],
    ['build-search-index', 10],
  ])(
    'lets %s follow the listings from the first change on, halves what fails, and notes what it gives up',
    (name, window) => {
      const mappings = app
        .properties('platform', 'AWS::Lambda::EventSourceMapping')
        .filter(({ FunctionName: target }) => nameOf(target) === name);
      expect(mappings).toEqual([
        expect.objectContaining({
          StartingPosition: 'TRIM_HORIZON',
          BatchSize: 100,
          MaximumBatchingWindowInSeconds: window,
          BisectBatchOnFunctionError: true,
          MaximumRetryAttempts: 20,
          DestinationConfig: { OnFailure: { Destination: expect.anything() } },
        }),
      ]);
      expect(app.reference('platform', mappings[0]?.EventSourceArn)).toMatchObject({
        stack: 'data',
        attribute: 'StreamArn',
      });
    },
  );
});

import { describe, expect, it } from '@jest/globals';
import { SynthesizedApp } from '../synthesized-app.ts';
import { distributionOf } from './distributions.ts';

describe.each(['web-function-ingress', 'fargate-ingress', 'fargate'] as const)(
  'an error that passes the edge: %s',
  (name) => {
    it('stays out of the cache, because CloudFront’s cache key contains neither credentials nor the query', () => {
      const { CustomErrorResponses: errors = [] } = distributionOf(new SynthesizedApp(name));
      const cachedErrors = errors.filter(({ ErrorCachingMinTTL: ttl }) => ttl !== 0);
      expect(cachedErrors).toEqual([]);
      expect(errors.map(({ ErrorCode: code }) => code)).toEqual([
        400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504,
      ]);
    });
  },
);

import { describe, expect, it } from '@jest/globals';
import { inferencePatterns, matchesPattern } from './edge-paths.ts';

const inference = (path: string) => ({ api: 'inference', path }) as const;
const platform = (path: string) => ({ api: 'platform', path }) as const;

describe('the patterns of the inference API', () => {
  it('consist of one for each first segment that only this API uses', () => {
    const routes = [inference('/v1/models'), inference('/v1/models/{model+}'), platform('/health')];
    expect(inferencePatterns(routes)).toEqual(['/v1/*']);
  });

  it('consist of one for each path if the platform API has paths below the same segment', () => {
    const routes = [inference('/api/v1/models'), inference('/api/v1/models/{id}'), platform('/api/orders')];
    expect(inferencePatterns(routes)).toEqual(['/api/v1/models', '/api/v1/models/*']);
  });

  it('match no path of the platform API, or fail with an error', () => {
    const routes = [inference('/api/{name}'), platform('/api/orders')];
    expect(() => inferencePatterns(routes)).toThrow('the pattern /api/* would take /api/orders');
  });
});

describe('a pattern of CloudFront', () => {
  it.each([
    ['/v1/*', '/v1/models/openai/gpt', true],
    ['/v1/*', '/v1/', true],
    ['/v1/*', '/v1', false],
    ['/v1/*', '/v10/models', false],
    ['/v1/*', '/V1/models', false],
    ['/api/v1/models', '/api/v1/models', true],
    ['/api/v1/models', '/api/v1/models/', false],
    ['/a?c', '/abc', true],
    ['/a?c', '/ac', false],
    ['/a.c', '/abc', false],
  ])('%s takes %s: %s', (pattern, path, isMatch) => {
    expect(matchesPattern(pattern, path)).toBe(isMatch);
  });
});

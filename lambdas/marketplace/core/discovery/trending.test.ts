import { describe, expect, it } from '@jest/globals';
import { type InstallBucket, MAX_RANKED, rank } from './trending.ts';

const NOW = 1_800_000_000;
const HOUR = 3600;

const installs = (listingId: string, count: number, hoursAgo: number): InstallBucket => ({
  listingId,
  kind: listingId.startsWith('agent') ? 'ai-agent' : 'app',
  startSeconds: NOW - hoursAgo * HOUR,
  installs: count,
});

const ranked = (buckets: readonly InstallBucket[], window: string, scope = 'all') =>
  rank(buckets, NOW).find((ranking) => ranking.window === window && ranking.scope === scope)?.ranked ?? [];
const order = (...args: Parameters<typeof ranked>) => ranked(...args).map(({ listingId }) => listingId);

describe('the ranking of trending listings', () => {
  it('places recent installs before the same number of earlier ones', () => {
    expect(order([installs('old', 10, 100), installs('new', 10, 1)], '7d')).toEqual(['new', 'old']);
  });

  it('counts an install half as much after a quarter of the window', () => {
    const [now, quarter] = ranked([installs('now', 4, 0), installs('then', 4, 42)], '7d');
    expect((quarter?.score ?? 0) / (now?.score ?? 1)).toBeCloseTo(0.5);
  });

  it('excludes listings that were installed only before the window', () => {
    const buckets = [installs('lately', 1, 23), installs('long-ago', 1000, 25)];
    expect(order(buckets, '1d')).toEqual(['lately']);
    expect(order(buckets, '7d')).toEqual(['long-ago', 'lately']);
  });

  it('totals the hours of a listing, and separates the kinds', () => {
    const buckets = [installs('agent', 2, 1), installs('app', 3, 1), installs('agent', 2, 2)];
    expect(order(buckets, '30d')).toEqual(['agent', 'app']);
    expect(order(buckets, '30d', 'app')).toEqual(['app']);
    expect(order(buckets, '30d', 'ai-agent')).toEqual(['agent']);
  });

  it('returns at most one page of listings', () => {
    const many = Array.from({ length: 500 }, (_, index) => installs(`app-${index}`, 1 + index, 1));
    expect(order(many, '1d')).toHaveLength(MAX_RANKED);
    expect(order(many, '1d')[0]).toBe('app-499');
  });
});

import { describe, expect, it } from '@jest/globals';
import { describeMachine, verdictOf } from '../../bench/harness/report.ts';
import { BARE } from '../../bench/peers/bare.ts';
import { type PeersReport, peersSection, withSection } from '../../bench/peers/comparison.ts';
import { caseFigures, goalFigures } from '../../bench/peers/figures.ts';
import { LITELLM } from '../../bench/peers/litellm.ts';
import { OURS, OURS_WITHOUT_MONEY } from '../../bench/peers/ours.ts';
import { PORTKEY } from '../../bench/peers/portkey.ts';
import { type Sample, sampleOf } from '../../bench/peers/sample.ts';
import { Samples } from '../../bench/peers/samples.ts';

const sample = (contestant: string, round: number, figures: Partial<Sample>): Sample => ({
  ...{ contestant, asked: 'chat', load: '1 at once', round },
  ...{ p50Ms: 1, p99Ms: 2, perSecond: 100, cpuMs: 1, databaseCpuMs: 0 },
  ...figures,
});
const place = { contestant: OURS, asked: 'chat', load: '1 at once' } as const;

describe('a window of load', () => {
  const call = (firstMs: number, wholeMs: number) => ({ firstMs, wholeMs });
  const loaded = { calls: [call(1, 10), call(2, 20), call(3, 30), call(4, 40)], seconds: 2 };
  const named = { contestant: OURS, asked: 'chat', load: '1 at once', round: 0 } as const;

  it('is measured to the first content of streams, a second and a call', () => {
    const made = sampleOf({ ...named, stream: true, loaded, cpuMs: 8, databaseCpuMs: 4 });
    expect(made).toMatchObject({ p50Ms: 2, p99Ms: 4, perSecond: 2, cpuMs: 2, databaseCpuMs: 1 });
  });

  it('is measured to the last byte of answers that are not streamed', () => {
    const made = sampleOf({ ...named, stream: false, loaded, cpuMs: 8, databaseCpuMs: 4 });
    expect(made).toMatchObject({ p50Ms: 20, p99Ms: 40 });
  });
});

describe('what a contestant adds', () => {
  it('is compared within a round, so that a slow round moves nothing', () => {
    const samples = new Samples([
      sample(BARE, 0, { p50Ms: 1 }),
      sample(OURS, 0, { p50Ms: 3 }),
      sample(BARE, 1, { p50Ms: 101 }),
      sample(OURS, 1, { p50Ms: 103 }),
      sample(BARE, 2, { p50Ms: 1 }),
      sample(OURS, 2, { p50Ms: 3 }),
    ]);
    expect(samples.added(place, 'p50Ms')).toBe(2);
  });

  it('is not a number where one of the two has no round', () => {
    expect(new Samples([sample(OURS, 0, {})]).added(place, 'p50Ms')).toBeNaN();
  });
});

const contest = (ours: Partial<Sample>, free: Partial<Sample>, portkey: Partial<Sample>) =>
  new Samples(
    ['chat', 'chat streamed'].flatMap((asked) => [
      sample(BARE, 0, { asked, p50Ms: 1 }),
      sample(OURS, 0, { ...ours, asked }),
      sample(OURS_WITHOUT_MONEY, 0, { ...free, asked }),
      sample(PORTKEY, 0, { ...portkey, asked }),
    ]),
  );

describe('the goals', () => {
  const verdicts = (samples: Samples) => goalFigures(samples).map(verdictOf);

  it('are met by one who adds little and serves much', () => {
    const samples = contest({ p50Ms: 4, perSecond: 300 }, { p50Ms: 2 }, { p50Ms: 11, perSecond: 200 });
    expect(verdicts(samples)).toEqual(['met', 'met', 'met', 'met', 'met']);
  });

  it('are missed, each by itself, and break nothing', () => {
    const samples = contest({ p50Ms: 13, perSecond: 200 }, { p50Ms: 12 }, { p50Ms: 11, perSecond: 200 });
    expect(verdicts(samples)).toEqual(['missed', 'met', 'missed', 'missed', 'met']);
  });

  it('are absent where there is nobody to compare with', () => {
    expect(goalFigures(new Samples([sample(OURS, 0, {})]))).toEqual([]);
  });
});

describe('the figures of a case', () => {
  it('leave out who has no answer to it', () => {
    const figures = caseFigures(new Samples([sample(BARE, 0, {}), sample(OURS, 0, { p50Ms: 3 })]), [
      ...[BARE, OURS, LITELLM],
    ]);
    expect(figures).toContainEqual({ name: `chat: added, p50, 1 at once: ${OURS}`, value: 2, unit: 'ms' });
    expect(figures.filter(({ name }) => name.includes(LITELLM))).toEqual([]);
  });
});

describe('the section of docs/benchmarks.md', () => {
  const report = (): PeersReport => {
    const samples = contest({ p50Ms: 4 }, { p50Ms: 2 }, { p50Ms: 11 });
    const figures = [...goalFigures(samples), ...caseFigures(samples, [BARE, OURS, PORTKEY])];
    return { bench: 'peers', date: '2026-07-15', machine: describeMachine(), seconds: 1, figures };
  };

  it('shows goals with their verdicts, and a dash where nothing was measured', () => {
    const lines = peersSection(report()).split('\n');
    expect(lines).toContain('| first token added, streamed, money on | 0.3 | at most 0.33 | met |');
    expect(lines).toContain('| most calls a second, streamed, money on | 1 | at least 1.5 | **missed** |');
    expect(lines).toContain('| added to chat, p50, one call at a time | 3 ms | - | 10 ms | - |');
  });

  it('takes the place of the one before it and of nothing else', () => {
    const section = peersSection(report());
    const text = withSection('above\n<!-- peers -->\nold\n<!-- /peers -->\nbelow', section);
    expect(text).toBe(`above\n${section}\nbelow`);
    expect(withSection(text, section)).toBe(text);
    expect(() => withSection('no section', section)).toThrow('peers');
  });
});

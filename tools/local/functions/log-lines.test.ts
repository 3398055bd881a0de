import { describe, expect, it } from '@jest/globals';
import { clock, formatLogLine } from './log-lines.ts';

const timestamp = '2026-01-02T03:04:05.678Z';

describe('a line that a function prints', () => {
  it('that is a Powertools record becomes time, level, function, message and what else it says', () => {
    const record = {
      level: 'WARN',
      message: 'slow',
      timestamp,
      service: 's',
      cold_start: true,
      route: 'a',
      cost: { usd: 1 },
      note: 'two words',
    };
    expect(formatLogLine('chat', JSON.stringify(record))).toBe(
      `${clock(new Date(timestamp))} WARN chat slow route=a cost={"usd":1} note=two words`,
    );
  });

  it('that is anything else stays as it is behind the name', () => {
    expect(formatLogLine('chat', 'Error: x')).toMatch(/^\d\d:\d\d:\d\d chat Error: x$/);
    expect(formatLogLine('chat', '{"no":"level"}')).toMatch(/^\d\d:\d\d:\d\d chat \{"no":"level"\}$/);
    expect(formatLogLine('chat', '{broken')).toMatch(/chat \{broken$/);
  });

  it('that is a metrics record is not shown', () => {
    expect(formatLogLine('chat', '{"_aws":{"CloudWatchMetrics":[]},"Calls":1}')).toBeUndefined();
  });
});

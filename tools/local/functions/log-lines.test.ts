import { describe, expect, it } from '@jest/globals';
import { clock, formatLogLine } from './log-lines.ts';

const timestamp = '2026-01-02T03:04:05.678Z';

describe('a line that a function prints', () => {
  it('becomes time, level, function, message and the other fields if it is a Powertools record', () => {
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

  it('stays unchanged after the function’s name if it has another form', () => {
    expect(formatLogLine('chat', 'Error: x')).toMatch(/^\d\d:\d\d:\d\d chat Error: x$/);
    expect(formatLogLine('chat', '{"no":"level"}')).toMatch(/^\d\d:\d\d:\d\d chat \{"no":"level"\}$/);
    expect(formatLogLine('chat', '{broken')).toMatch(/chat \{broken$/);
  });

  it('loses its metrics', () => {
    const directive = { Dimensions: [['application', 'error_type']], Metrics: [{ Name: 'Errors' }] };
    const metrics = {
      _aws: { CloudWatchMetrics: [directive] },
      application: 'a',
      error_type: 'e',
      Errors: 1,
    };
    const record = { level: 'INFO', message: 'answered', timestamp, status: 402, ...metrics };
    expect(formatLogLine('chat', JSON.stringify(record))).toBe(
      `${clock(new Date(timestamp))} INFO chat answered status=402`,
    );
  });

  it('stays hidden if it is nothing but metrics', () => {
    expect(formatLogLine('chat', '{"_aws":{"CloudWatchMetrics":[]},"Calls":1}')).toBeUndefined();
  });
});

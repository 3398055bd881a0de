import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  type BenchMetric,
  describeMachine,
  formatReport,
  isBroken,
  newestReport,
  verdictOf,
  writeReport,
} from './harness/report.ts';
import { median } from './harness/statistics.ts';

const folder = mkdtempSync(join(tmpdir(), 'report-'));
afterAll(() => rmSync(folder, { recursive: true }));

const metric = (value: number, most?: number): BenchMetric => ({
  name: 'a call',
  value,
  unit: 'rounds',
  ...(most === undefined ? {} : { most }),
});
const reportOf = (...figures: BenchMetric[]) => ({
  bench: 'sample',
  machine: describeMachine(),
  seconds: 1,
  figures,
});
const NOON = new Date(Date.UTC(2026, 6, 15, 12));

describe('a budget', () => {
  it.each([
    ['holds for less', metric(1, 2), 'ok'],
    ['holds for exactly its value', metric(2, 2), 'ok'],
    ['is broken by more', metric(2.01, 2), 'BROKEN'],
    ['is broken by what could not be measured', metric(Number.NaN, 2), 'BROKEN'],
    ['is nothing that a figure without one could break', metric(1e9), ''],
  ])('%s', (_case, report, verdict) => {
    expect(verdictOf(report)).toBe(verdict);
    expect(isBroken(report)).toBe(verdict === 'BROKEN');
  });
});

describe('a goal', () => {
  const goal = (value: number): BenchMetric => ({ ...metric(value), least: 1.5, goal: true });

  it.each([
    ['is met by its bound', 1.5, 'met'],
    ['is missed by less', 1.49, 'missed'],
    ['is missed by what could not be measured', Number.NaN, 'missed'],
  ])('%s, and breaks nothing', (_case, value, verdict) => {
    expect(verdictOf(goal(value))).toBe(verdict);
    expect(isBroken(goal(value))).toBe(false);
  });

  it('appears with its lower bound and is stored as passed or missed', () => {
    expect(formatReport(reportOf(goal(1)))).toContain('at least 1.5  missed');
    const file = writeReport(reportOf(goal(1), goal(2)), folder, NOON);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      passed: true,
      figures: [{ passed: false }, { passed: true }],
    });
  });
});

describe('a report', () => {
  it('shows each value with its budget, its verdict and its note', () => {
    const lines = formatReport(reportOf(metric(3, 2), { ...metric(1.5), note: 'of two runs' })).split('\n');
    expect(lines).toContain('  a call  3 rounds    at most 2  BROKEN');
    expect(lines).toContain('  a call  1.5 rounds');
    expect(lines).toContain('  * a call: of two runs');
  });

  it('uses its day and bench as file name, and states the machine and the passed values', () => {
    const file = writeReport(reportOf(metric(1, 2), metric(3, 2), metric(4)), folder, NOON);
    expect(file).toBe(join(folder, '2026-07-15-sample.json'));
    expect(newestReport(folder, 'sample')).toMatchObject({
      date: '2026-07-15',
      machine: { cpu: expect.any(String), cores: expect.any(Number), node: process.version },
      passed: false,
      figures: [{ value: 1, most: 2, passed: true }, { value: 3, most: 2, passed: false }, { value: 4 }],
    });
  });
});

describe('a median', () => {
  it.each([
    ['the middle value in any order', [9, 1, 5], 5],
    ['the mean of the two middle values if the count is even', [4, 1, 3, 2], 2.5],
    ['NaN if there are no values, so that it breaks any budget', [], Number.NaN],
  ])('equals %s', (_case, values, expected) => {
    expect(median(values)).toBe(expected);
  });
});

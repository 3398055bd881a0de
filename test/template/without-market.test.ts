import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../lambdas/app/routes.ts';
import { MARKET_CONSUMERS } from '../../lambdas/platform/contract/market-consumers.ts';
import type { Route } from '../../lambdas/platform/contract/route.ts';
import { TABLES } from '../../lambdas/platform/contract/tables.ts';
import { SynthesizedApp } from './synthesized-app.ts';

const app = new SynthesizedApp('without-market');
const whole = new SynthesizedApp();

const functionsOf = (of: SynthesizedApp) =>
  (['inference', 'platform'] as const).flatMap((stack) =>
    of.resources(stack, 'AWS::Lambda::Function').map(([id]) => of.functionName(stack, id)),
  );

const alarmsOf = (of: SynthesizedApp) =>
  of.properties('operations', 'AWS::CloudWatch::Alarm').map(({ AlarmName: name }) => String(name));

/** The names of the market, in a template. */
const MARKET =
  /[\w-]*(?:listing|market|build|seller|payout|discovery|trending|acquisition|entitlement|malware)[\w-]*/gi;

describe('a deployment without a market', () => {
  it('contains every function but those of the routes and consumers of the market', () => {
    const left = new Set<string>([
      ...(ROUTES as readonly Route[])
        .filter(({ setting }) => setting === 'market')
        .map(({ endpoint }) => endpoint),
      ...Object.keys(MARKET_CONSUMERS),
    ]);
    expect(left.size).toBeGreaterThan(35);
    expect(functionsOf(app).sort()).toEqual(
      functionsOf(whole)
        .filter((name) => !left.has(name))
        .sort(),
    );
  });

  it('creates neither its tables, its bucket nor a follower of its tables', () => {
    expect(app.resources('data', 'AWS::DynamoDB::GlobalTable')).toHaveLength(Object.keys(TABLES).length - 3);
    const buckets = (of: SynthesizedApp) => of.resources('data', 'AWS::S3::Bucket').map(([id]) => id);
    const left = new Set(buckets(app));
    expect(buckets(whole).filter((id) => !left.has(id))).toEqual(['Builds']);
    expect(JSON.stringify(app.templates).match(/dynamodb:GetRecords/g)).toHaveLength(1);
  });

  it('keeps every alarm but those of the market', () => {
    const alarms = new Set(alarmsOf(app));
    expect(
      alarmsOf(whole)
        .filter((name) => !alarms.has(name))
        .map((name) => name.replace('prod/', ''))
        .sort(),
    ).toEqual([
      'dead-letters/dead-changes',
      'due-items-late',
      'function-duration/platform-build-search-index',
      'function-errors/platform-build-search-index',
      'function-errors/platform-rank-trending',
      'function-errors/platform-record-scans',
      'listing-changes-late',
    ]);
  });

  it('names the market in the setting of payouts alone, which is off', () => {
    expect([...new Set(JSON.stringify(app.templates).match(MARKET))]).toEqual(['MARKET_PAYOUTS']);
  });
});

/** Public on-demand prices, us-east-1, without the free tier; each with where and when it was read. */

export interface Price {
  readonly usd: number;
  readonly per: string;
  /** Public page of the price. */
  readonly source: string;
  /** When it was read there. */
  readonly read: string;
}

const NOVEMBER = '2026-11-20';

export const PRICES = {
  lambdaGbSecond: {
    usd: 0.0000133334,
    per: 'GB-second, arm64',
    source: 'aws.amazon.com/lambda/pricing',
    read: NOVEMBER,
  },
  lambdaRequest: { usd: 0.2e-6, per: 'request', source: 'aws.amazon.com/lambda/pricing', read: NOVEMBER },
  apiRequest: {
    usd: 3.5e-6,
    per: 'request of a REST API, and each further 10 MB streamed',
    source: 'aws.amazon.com/api-gateway/pricing',
    read: NOVEMBER,
  },
  transferGb: {
    usd: 0.09,
    per: 'GB out to the internet',
    source: 'aws.amazon.com/ec2/pricing/on-demand',
    read: NOVEMBER,
  },
  writeUnit: {
    usd: 0.625e-6,
    per: 'write unit',
    source: 'aws.amazon.com/dynamodb/pricing/on-demand',
    read: NOVEMBER,
  },
  readUnit: {
    usd: 0.125e-6,
    per: 'read unit',
    source: 'aws.amazon.com/dynamodb/pricing/on-demand',
    read: NOVEMBER,
  },
  tableGbMonth: {
    usd: 0.25 + 0.2,
    per: 'GB-month, with point-in-time recovery',
    source: 'aws.amazon.com/dynamodb/pricing/on-demand',
    read: NOVEMBER,
  },
  firewallRequest: { usd: 0.6e-6, per: 'request', source: 'aws.amazon.com/waf/pricing', read: NOVEMBER },
  firewallMonth: {
    usd: 6,
    per: 'month, one ACL and one rule',
    source: 'aws.amazon.com/waf/pricing',
    read: NOVEMBER,
  },
  logGb: { usd: 0.5, per: 'GB ingested', source: 'aws.amazon.com/cloudwatch/pricing', read: NOVEMBER },
  metricMonth: {
    usd: 0.3,
    per: 'custom metric a month',
    source: 'aws.amazon.com/cloudwatch/pricing',
    read: NOVEMBER,
  },
  alarmMonth: {
    usd: 0.1,
    per: 'alarm and metric in it, a month',
    source: 'aws.amazon.com/cloudwatch/pricing',
    read: NOVEMBER,
  },
  secretMonth: {
    usd: 0.4,
    per: 'secret a month',
    source: 'aws.amazon.com/secrets-manager/pricing',
    read: NOVEMBER,
  },
} as const satisfies Record<string, Price>;

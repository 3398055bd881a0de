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
const HOSTS = '2026-11-23';
const WORKFLOWS = '2026-11-24';

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
    usd: 5,
    per: 'web ACL a month',
    source: 'aws.amazon.com/waf/pricing',
    read: NOVEMBER,
  },
  firewallRuleMonth: {
    usd: 1,
    per: 'rule of a web ACL a month',
    source: 'aws.amazon.com/waf/pricing',
    read: NOVEMBER,
  },
  dashboardMonth: {
    usd: 3,
    per: 'dashboard of more than 50 metrics a month',
    source: 'aws.amazon.com/cloudwatch/pricing',
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
  secretRead: {
    usd: 5e-6,
    per: 'read of a secret',
    source: 'aws.amazon.com/secrets-manager/pricing',
    read: NOVEMBER,
  },
  compositeAlarmMonth: {
    usd: 0.5,
    per: 'alarm on other alarms, a month',
    source: 'aws.amazon.com/cloudwatch/pricing',
    read: NOVEMBER,
  },
  secretMonth: {
    usd: 0.4,
    per: 'secret a month',
    source: 'aws.amazon.com/secrets-manager/pricing',
    read: NOVEMBER,
  },
  execution: {
    usd: 1e-6,
    per: 'execution of an Express workflow',
    source: 'aws.amazon.com/step-functions/pricing',
    read: WORKFLOWS,
  },
  executionGbHour: {
    usd: 0.06,
    per: 'GB-hour of Express workflows, the first 1,000 a month',
    source: 'aws.amazon.com/step-functions/pricing',
    read: WORKFLOWS,
  },
  taskVcpuHour: {
    usd: 0.03238,
    per: 'vCPU-hour of Fargate, arm64',
    source: 'aws.amazon.com/fargate/pricing, by cloudburn.io and dev.to/dspv',
    read: HOSTS,
  },
  taskGbHour: {
    usd: 0.00356,
    per: 'GB-hour of Fargate, arm64',
    source: 'aws.amazon.com/fargate/pricing, by vantage.sh',
    read: HOSTS,
  },
  addressHour: {
    usd: 0.005,
    per: 'hour of a public IPv4 address',
    source: 'aws.amazon.com/vpc/pricing',
    read: HOSTS,
  },
  balancerHour: {
    usd: 0.0225,
    per: 'hour of an application load balancer',
    source: 'aws.amazon.com/elasticloadbalancing/pricing, by cloud-horizons.com',
    read: HOSTS,
  },
  balancerUnit: {
    usd: 0.008,
    per: 'capacity unit an hour of it: 1 GB, which is what streams reach first',
    source: 'aws.amazon.com/elasticloadbalancing/pricing, by cloud-horizons.com',
    read: HOSTS,
  },
  edgeRequest: {
    usd: 1e-6,
    per: 'HTTPS request to CloudFront, North America and Europe',
    source: 'aws.amazon.com/cloudfront/pricing, by wring.co',
    read: HOSTS,
  },
  edgeFunction: {
    usd: 0.1e-6,
    per: 'run of a CloudFront Function',
    source: 'aws.amazon.com/cloudfront/pricing, by cur.vantage.sh',
    read: HOSTS,
  },
  edgeTransferGb: {
    usd: 0.085,
    per: 'GB out of CloudFront, the first 10 TB, North America and Europe',
    source: 'aws.amazon.com/cloudfront/pricing',
    read: HOSTS,
  },
  edgeOriginGb: {
    usd: 0.02,
    per: 'GB from CloudFront to its origin',
    source: 'aws.amazon.com/cloudfront/pricing',
    read: HOSTS,
  },
} as const satisfies Record<string, Price>;

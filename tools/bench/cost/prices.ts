/** Public on-demand prices in USD, us-east-1, without the free tier. */

interface Price {
  readonly usd: number;
  readonly per: string;
  /** Public page of the price, on aws.amazon.com. */
  readonly source: string;
}

const price = (usd: number, per: string, source: string): Price => ({ usd, per, source });

/** Read on 2026-11-20. */
export const PRICES = {
  lambdaGbSecond: price(0.0000133334, 'GB-second, arm64', 'lambda/pricing'),
  lambdaRequest: price(0.2e-6, 'request', 'lambda/pricing'),
  apiRequest: price(3.5e-6, 'request of a REST API, and each further 10 MB streamed', 'api-gateway/pricing'),
  transferGb: price(0.09, 'GB out to the internet', 'ec2/pricing/on-demand'),
  writeUnit: price(0.625e-6, 'write unit', 'dynamodb/pricing/on-demand'),
  readUnit: price(0.125e-6, 'read unit', 'dynamodb/pricing/on-demand'),
  tableGbMonth: price(0.45, 'GB-month, with point-in-time recovery', 'dynamodb/pricing/on-demand'),
  firewallRequest: price(0.6e-6, 'request', 'waf/pricing'),
  firewallMonth: price(5, 'web ACL a month', 'waf/pricing'),
  firewallRuleMonth: price(1, 'rule of a web ACL a month', 'waf/pricing'),
  dashboardMonth: price(3, 'dashboard of more than 50 metrics a month', 'cloudwatch/pricing'),
  logGb: price(0.5, 'GB ingested', 'cloudwatch/pricing'),
  metricMonth: price(0.3, 'custom metric a month', 'cloudwatch/pricing'),
  alarmMonth: price(0.1, 'alarm and metric in it, a month', 'cloudwatch/pricing'),
  compositeAlarmMonth: price(0.5, 'alarm on other alarms, a month', 'cloudwatch/pricing'),
  secretMonth: price(0.4, 'secret a month', 'secrets-manager/pricing'),
  queueRequest: price(0.4e-6, 'request of a standard queue', 'sqs/pricing'),
  objectPut: price(0.005e-3, 'PUT request of S3', 's3/pricing'),
  objectGbMonth: price(0.023, 'GB-month of S3 Standard', 's3/pricing'),
  // Read in September 2026 in several copies of the page.
  scanGb: price(0.09, 'GB that GuardDuty scans in S3', 'guardduty/pricing'),
  scanObject: price(0.215e-3, 'object that GuardDuty scans in S3', 'guardduty/pricing'),
  keyMonth: price(1, 'key a month', 'kms/pricing'),
  keyRequest: price(3e-6, 'request of KMS, with `encryptionKey`', 'kms/pricing'),
  backupGbMonth: price(0.1, 'GB-month of a table in AWS Backup, each copy', 'backup/pricing'),
  busEvent: price(1e-6, 'event on the bus', 'eventbridge/pricing'),
  // Read on 2026-11-23, some of them from copies: cloudburn.io, dev.to/dspv, vantage.sh, cloud-horizons.com, wring.co.
  taskVcpuHour: price(0.03238, 'vCPU-hour of Fargate, arm64', 'fargate/pricing'),
  taskGbHour: price(0.00356, 'GB-hour of Fargate, arm64', 'fargate/pricing'),
  addressHour: price(0.005, 'hour of a public IPv4 address', 'vpc/pricing'),
  balancerHour: price(0.0225, 'hour of an application load balancer', 'elasticloadbalancing/pricing'),
  balancerUnit: price(0.008, 'capacity unit an hour: 1 GB, reached first', 'elasticloadbalancing/pricing'),
  edgeRequest: price(1e-6, 'HTTPS request, North America and Europe', 'cloudfront/pricing'),
  edgeFunction: price(0.1e-6, 'run of a CloudFront Function', 'cloudfront/pricing'),
  edgeTransferGb: price(0.085, 'GB out of CloudFront, the first 10 TB', 'cloudfront/pricing'),
  edgeOriginGb: price(0.02, 'GB from CloudFront to its origin', 'cloudfront/pricing'),
} as const satisfies Record<string, Price>;

/** The configurations that the tests of the templates read, by name; each is synthesized once a run. */
export const DOMAINS = {
  inference: 'api.example.com',
  platform: 'platform.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-000000000000',
};

export const EDGE_DOMAIN = {
  name: 'ai.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-000000000001',
};

/** In the account that keeps copies of backups. */
export const BACKUP_VAULT = 'arn:aws:backup:eu-west-1:123456789012:backup-vault:copies';

export const ENCRYPTION_KEY =
  'arn:aws:kms:eu-central-1:123456789012:key/0a1b2c3d-0000-4000-8000-000000000002';

const FARGATE_ABROAD = {
  compute: 'fargate',
  region: 'eu-central-1',
  edgeDomain: EDGE_DOMAIN,
  budgetUsd: 250,
  unusualCostUsd: 40,
} as const;

const EVERY_SETTING = {
  stage: 'eu-test-2',
  serviceName: 'A & B',
  logRetentionDays: 7,
  holdTtlSeconds: 3600,
  ipRequestsPerMinute: 1000,
  requestsPerSecond: 50,
  alarmEmail: 'operators@example.com',
  warningEmail: 'daytime@example.com',
  alertMail: 'alerts@example.com',
  budgetUsd: 250,
  unusualCostUsd: 40,
  availabilityPercent: 99.5,
  recoveryDays: 14,
  backupCopies: { vaultArn: BACKUP_VAULT, keepDays: 35 },
  tracing: true,
  marketPayouts: 'stripe',
  buildScan: 'guardduty',
  smoke: { everyMinutes: 15, models: ['acme/chat', 'acme/image'] },
  providerSecrets: ['openai', 'anthropic'],
} as const;

export const CONFIGURATIONS = {
  standard: {},
  /** The same as `standard`, synthesized once more. */
  again: {},
  /** Under the feature flags of `cdk.json`, as the CDK CLI synthesizes it; so is `fargate-flags`. */
  'feature-flags': {},
  'fargate-flags': { compute: 'fargate' },
  'without-market': { market: false },
  'without-transcribe': { transcribe: false },
  /** A market that takes builds. */
  builds: { buildScan: 'guardduty', lambdaConcurrency: 500 },
  'every-setting': { ...EVERY_SETTING, domains: DOMAINS },
  /** The most that one deployment can have. */
  'every-setting-on-fargate': {
    ...EVERY_SETTING,
    ...FARGATE_ABROAD,
    encryptionKey: ENCRYPTION_KEY,
    lambdaConcurrency: 1000,
  },
  /** With a key of the customer's own, and CloudFront. */
  'customer-key': { encryptionKey: ENCRYPTION_KEY, compute: 'fargate' },
  /** An account whose quota is known, with a standard bootstrap. */
  concurrency: { lambdaConcurrency: 1000, bootstrap: 'administrator' },
  /** After a restore of two tables, one of them with a stream. */
  'restored-tables': {
    restoredTables: {
      wallets: { name: 'Inference-prod-data-Wallets-at-20261121T093000Z' },
      listings: {
        name: 'Inference-prod-data-Listings-at-20261121T093000Z',
        streamArn:
          'arn:aws:dynamodb:eu-central-1:123456789012:table/Inference-prod-data-Listings-at-20261121T093000Z/stream/2026-11-21T10:00:00.000',
      },
    },
  },
  'web-function-ingress': { ingress: 'web-function' },
  'fargate-ingress': { ingress: 'fargate' },
  fargate: { compute: 'fargate' },
  /** In the region of CloudFront’s metrics. */
  'fargate-with-region': { compute: 'fargate', region: 'us-east-1' },
  /** In another region, with a name of one's own. */
  'fargate-abroad': FARGATE_ABROAD,
  /** The same stage in another region of the account. */
  'second-region': { ...FARGATE_ABROAD, region: 'us-west-2' },
  'fargate-sized': {
    compute: 'fargate',
    hostTasks: { least: 3, most: 40 },
    edgeSecretGeneration: 3,
    availabilityZones: ['us-east-1b', 'us-east-1d'],
  },
  /** With one other zone, before the one that stays. */
  'fargate-moved': {
    compute: 'fargate',
    hostTasks: { least: 3, most: 40 },
    edgeSecretGeneration: 3,
    availabilityZones: ['us-east-1a', 'us-east-1b'],
  },
} as const satisfies Readonly<Record<string, object>>;

export type ConfigurationName = keyof typeof CONFIGURATIONS;

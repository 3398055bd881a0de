/** The deployment's settings: one typed, validated document; everything else about a deployment is derived. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import {
  DEFAULT_HOLD_TTL_SECONDS,
  STREAM_TIMEOUT_SECONDS,
} from '../../lambdas/platform/contract/environment.ts';
import { identityProvidersSchema } from '../../lambdas/platform/contract/identity-providers.ts';
import { IP_REQUESTS_PER_MINUTE } from '../../lambdas/platform/contract/limits.ts';
import { TABLES, type TableName } from '../../lambdas/platform/contract/tables.ts';
import { isAmbiguous, STACKS, stackNameOf } from './stage-names.ts';

const hostName = z.string().regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/);

/** A certificate of AWS Certificate Manager. */
const certificateIn = (region: string) =>
  z.string().regex(new RegExp(`^arn:aws[a-z-]*:acm:${region}:\\d{12}:certificate/[0-9a-f-]+$`));

/** The minimum and the maximum of tasks that serve the inference API on Fargate. */
const hostTasks = z
  .strictObject({
    least: z.int().min(1).max(1_000),
    most: z.int().min(1).max(1_000),
  })
  .refine(({ least, most }) => least <= most, { error: 'least must not exceed most' });

/** A restored table that replaces the one that the data stack created; see `npm run admin -- restore`. */
const restoredTable = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_.-]{3,255}$/),
  streamArn: z.string().startsWith('arn:').optional(),
});

const shape = {
  /** The name of the deployment, part of stack names and of the API's stage. */
  stage: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,19}$/, {
      error: 'a stage has at most 20 lower-case letters, digits and hyphens, and begins with a letter',
    })
    // `a-dead` and `a` would both have a queue `a-dead-events`.
    .refine((stage) => !stage.endsWith('-dead'), { error: 'a stage must not end with -dead' })
    .refine((stage) => !isAmbiguous(stage), {
      error: `a stage must not end with the name of a stack, such as -data: ${STACKS.join(', ')}`,
    })
    .default('prod'),
  /** The name that people read: in the console, on the pages of the service and in `openapi.json`. */
  serviceName: z
    .string()
    .regex(/^[^\s\p{C}]([^\n\p{C}]{0,38}[^\s\p{C}])?$/u, {
      error: 'serviceName must have 1 to 40 characters, without spaces at its ends',
    })
    .default('Unified Inference Service'),
  /** The region of the deployment. If it is set, a stack in us-east-1 has the alarms of CloudFront. */
  region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, { error: 'must be a region such as us-east-1' })
    .optional(),
  /**
   * The rights of CloudFormation in the account. With `scoped`, `npm run up` bootstraps with the rights of this stage, and every
   * role has a permissions boundary. `administrator` is the CDK's standard bootstrap: who deploys is an administrator.
   */
  bootstrap: z.enum(['scoped', 'administrator']).default('scoped'),
  /** Days for which function and access logs are retained. */
  logRetentionDays: z.union([7, 14, 30, 60, 90, 180, 365].map((days) => z.literal(days))).default(30),
  /** Seconds after which an unsettled hold may be recovered. */
  holdTtlSeconds: z.int().min(1).default(DEFAULT_HOLD_TTL_SECONDS),
  /**
   * The compute that serves the inference API. `lambda` is a function for each route behind API Gateway, with one call
   * at a time each. `fargate` is one program for all routes, with many concurrent calls in a process. CloudFront is in
   * front of that program as the one hostname of both APIs. The functions stay deployed, and retain their addresses.
   */
  compute: z.enum(['lambda', 'fargate']).default('lambda'),
  /**
   * The minimum and the maximum of tasks of `compute` `fargate`. The default is 2 and 10: if one fails, another is
   * left, and ten accept 10,000 concurrent calls.
   */
  hostTasks: hostTasks.optional(),
  /**
   * The compute that takes uploads of up to 25 MB, behind CloudFront, which gives the API one hostname. `web-function`
   * is a Lambda Web Function, and `fargate` is two tasks or more behind a VPC origin. With `none` there is no
   * CloudFront, and files may have 4 MB.
   */
  ingress: z.enum(['none', 'web-function', 'fargate']).default('none'),
  /**
   * The availability zones of the network of `fargate` hosts, by name; the region's first two when it is absent. CloudFront's
   * VPC origins leave some zones out, so `npm run up` chooses them by their ids.
   */
  availabilityZones: z
    .array(z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d[a-z]$/))
    .min(2)
    .max(3)
    .optional(),
  /**
   * A function that calls the deployment every few minutes like a caller, with the key that `npm run admin -- smoke
   * key` stores. It calls each of the specified models, or the chat model with the lowest price. The default is every
   * five minutes where a shared host serves the inference API, so that each of its releases is called, else `false`.
   */
  smoke: z
    .union([
      z.literal(false),
      z.strictObject({
        everyMinutes: z.int().min(1).max(60).default(5),
        models: z
          .array(z.string().regex(/^[^,\s]{1,128}$/))
          .min(1)
          .max(5)
          .optional(),
      }),
    ])
    .optional(),
  /** Requests a minute that one IP address may make (WAF counts approximately; its minimum is 10). */
  ipRequestsPerMinute: z.int().min(10).default(IP_REQUESTS_PER_MINUTE),
  /** The providers with which accounts may sign in, by the name in `POST /api/v1/auth/{identity_provider}`. */
  identityProviders: identityProvidersSchema.default({}),
  /** The page to which a payer returns from the checkout; the console of the platform API when it is absent. */
  paymentReturnUrl: z.url({ protocol: /^https$/ }).optional(),
  /**
   * The market: listings, plans, builds, earnings and payouts. Without it a deployment has neither its routes and pages
   * nor its tables, schedules and alarms.
   */
  market: z.boolean().default(true),
  /** The platform's part of each sale of a listing, in basis points of its price. */
  marketFeeBasisPoints: z.int().min(0).max(10_000).default(0),
  /** The provider of payouts to sellers. Stripe needs Connect to be activated, and its secrets. */
  marketPayouts: z.enum(['none', 'stripe']).default('none'),
  /**
   * The malware scanner of builds: GuardDuty Malware Protection for S3, which costs by the scanned file and needs no detector.
   * With `none` the service takes no builds: not every account and region has GuardDuty.
   */
  buildScan: z.enum(['guardduty', 'none']).default('none'),
  /**
   * Transcriptions by Amazon Transcribe, which reads recordings from a bucket only. Without it a deployment has neither the
   * bucket nor its sweeper, and routes of the protocol `transcribe` fail.
   */
  transcribe: z.boolean().default(true),
  /**
   * Requests a second that each API takes, and as many at once (API Gateway counts approximately). A region's default
   * is 10,000 for the whole account, and 1,000 Lambda functions at a time: more than this would starve what else the
   * account runs.
   */
  requestsPerSecond: z.int().min(1).max(10_000).default(1_000),
  /**
   * The account's quota of concurrent executions of Lambda in the region. If it is set, the functions that move money
   * have a reserved share, and streams are throttled to the remaining capacity. Absent by default, because nothing can
   * be reserved of the 10 that a new account may have.
   */
  lambdaConcurrency: z.int().min(10).max(100_000).optional(),
  /** Receives what is critical, and its end; nothing is sent when it is absent. AWS sends it a mail to confirm. */
  alarmEmail: z.email().optional(),
  /** The address from which Amazon SES mails alerts of money to the accounts' own; no mails when it is absent. */
  alertMail: z.email().optional(),
  /** Receives warnings; `alarmEmail` when it is absent. */
  warningEmail: z.email().optional(),
  /**
   * USD that the deployment may cost in a month; it is reported when 80 % and all of it are spent, and when all of it will be.
   * No budget when it is absent. Like `unusualCostUsd`, it counts what bears the tag `stack`, once that is activated in billing.
   */
  budgetUsd: z.number().positive().max(1_000_000_000).optional(),
  /**
   * USD above what is usual, from which AWS's search for unusual costs reports them; no search when it is absent. For the
   * payer account alone: AWS may refuse a monitor by tags in a member account of an organization.
   */
  unusualCostUsd: z.number().positive().max(1_000_000_000).optional(),
  /** Share of paid calls that must not fail for a reason of ours, in percent: what the alarms of availability measure by. */
  availabilityPercent: z.number().min(90).max(99.99).default(99.9),
  /** Days back to which a table can be restored, to the second (1 to 35, DynamoDB point-in-time recovery). */
  recoveryDays: z.int().min(1).max(35).default(35),
  /** Tables that replace those that the data stack created, which stay: the output of `npm run admin -- restore`. */
  restoredTables: z
    .partialRecord(z.enum(Object.keys(TABLES) as [TableName, ...TableName[]]), restoredTable)
    .default({}),
  /** A vault of AWS Backup in another account or region, which gets a copy of every table each day for as many days. */
  backupCopies: z
    .strictObject({
      vaultArn: z
        .string()
        .regex(/^arn:aws[a-z-]*:backup:[a-z0-9-]+:\d{12}:backup-vault:[A-Za-z0-9_-]{2,50}$/),
      keepDays: z.int().min(1).max(3_650),
    })
    .optional(),
  /**
   * A key of AWS KMS, in the region of the deployment, that seals tables, queues, topics, logs and secrets; the keys that
   * AWS manages when it is absent.
   */
  encryptionKey: z
    .string()
    .regex(/^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[A-Za-z0-9-]+$/)
    .optional(),
  /** Traces every call with X-Ray: about $5 a million calls, and a few milliseconds at each cold start. */
  tracing: z.boolean().default(false),
  /**
   * The only secrets below `<stage>/providers/` that the functions may read, by the rest of their names. When absent,
   * all of them, so that the catalog can name a new one without a deployment.
   */
  providerSecrets: z
    .array(z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/))
    .min(1)
    .max(50)
    .optional(),
  /** The APIs' own names, under one certificate of AWS Certificate Manager in the region of the deployment. */
  domains: z
    .strictObject({
      inference: hostName,
      platform: hostName,
      certificateArn: certificateIn('[a-z0-9-]+'),
    })
    .refine(({ inference, platform }) => inference !== platform, {
      error: 'inference and platform must be two names: each API answers one',
    })
    .optional(),
  /**
   * The generation of the secret that CloudFront sends to its origins. An increase by one creates a new secret, and the
   * previous one stays valid until the next increase.
   */
  edgeSecretGeneration: z.int().min(1).max(10_000).default(1),
  /** The name of CloudFront's hostname; CloudFront takes certificates of us-east-1 alone. */
  edgeDomain: z.strictObject({ name: hostName, certificateArn: certificateIn('us-east-1') }).optional(),
};

const schema = z.strictObject(shape);

type Settings = z.infer<typeof schema>;

export type Config = Omit<Settings, 'smoke'> & {
  /** Absent if nothing calls the deployment by itself. */
  readonly smoke?: Exclude<Settings['smoke'], false> | undefined;
};

/** The names of the settings. */
export const SETTINGS: readonly string[] = Object.keys(shape);

/** Validates settings and fills defaults; throws an error that names the field. */
export function parseConfig(input: unknown): Config {
  const result = schema.safeParse(input);
  if (!result.success) throw new Error(`configuration: ${z.prettifyError(result.error)}`);
  const [contradiction] = contradictionsOf(result.data);
  if (contradiction !== undefined) throw new Error(`configuration: ${contradiction}`);
  return { ...result.data, smoke: smokeOf(result.data) };
}

function smokeOf({ smoke, compute }: Settings): Config['smoke'] {
  if (smoke === undefined) return compute === 'lambda' ? undefined : { everyMinutes: 5 };
  return smoke === false ? undefined : smoke;
}

/** Returns whether CloudFront is in front of the APIs. */
export const hasEdge = ({ compute, ingress }: Pick<Config, 'compute' | 'ingress'>): boolean =>
  compute !== 'lambda' || ingress !== 'none';

const USUAL_TASKS = { least: 2, most: 10 } as const;

/** Returns the minimum and the maximum of tasks that serve the inference API on Fargate. */
export const hostTasksOf = ({ hostTasks }: Pick<Config, 'hostTasks'>) => hostTasks ?? USUAL_TASKS;

/** Returns the contradictions between settings. Each names the field to change. */
function contradictionsOf(config: Settings): readonly string[] {
  const { compute, ingress, hostTasks, edgeDomain, domains, holdTtlSeconds, restoredTables } = config;
  const tablePrefix = `${stackNameOf(config.stage, 'data')}-`;
  const names: readonly unknown[] = [domains?.inference, domains?.platform];
  return [
    holdTtlSeconds > STREAM_TIMEOUT_SECONDS ||
      `holdTtlSeconds must exceed the longest call (${STREAM_TIMEOUT_SECONDS} s), got ${holdTtlSeconds}`,
    // The boundary of the roles, and the policies of people, name tables by it.
    Object.values(restoredTables).every(({ name }) => name.startsWith(tablePrefix)) ||
      `restoredTables must have names that begin with "${tablePrefix}", which those of a restore do`,
    compute === 'lambda' ||
      ingress === 'none' ||
      `ingress must be "none" with compute "${compute}", which takes uploads itself; got "${ingress}"`,
    config.market ||
      (config.marketPayouts === 'none' && config.buildScan === 'none' && config.marketFeeBasisPoints === 0) ||
      'marketPayouts, buildScan and marketFeeBasisPoints need "market": true',
    hostTasks === undefined || compute === 'fargate' || 'hostTasks is for compute "fargate" alone',
    edgeDomain === undefined ||
      hasEdge(config) ||
      'edgeDomain needs CloudFront: compute other than "lambda", or ingress other than "none"',
    edgeDomain === undefined ||
      !names.includes(edgeDomain.name) ||
      'edgeDomain must be another name than those of domains, which API Gateway answers',
  ].filter((problem) => problem !== true);
}

/** Reads settings from a JSON file, or gives the defaults when no file is named. */
export function loadConfig(file: string | undefined): Config {
  if (file === undefined || file === '') return parseConfig({});
  let settings: unknown;
  try {
    settings = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`configuration: cannot read ${file} as JSON`, { cause });
  }
  return parseConfig(settings);
}

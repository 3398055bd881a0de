/** The deployment's settings: one typed, validated document; everything else about a deployment is derived. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { DEFAULT_HOLD_TTL_SECONDS, STREAM_TIMEOUT_SECONDS } from '../../lambdas/contract/environment.ts';
import { identityProvidersSchema } from '../../lambdas/contract/identity-providers.ts';
import { IP_REQUESTS_PER_MINUTE } from '../../lambdas/contract/limits.ts';

const hostName = z.string().regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/);

const schema = z.strictObject({
  /** Names the deployment: stack names and the API's stage carry it. */
  stage: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,19}$/)
    .default('prod'),
  /** Days that function and access logs are kept. */
  logRetentionDays: z.union([7, 14, 30, 60, 90, 180, 365].map((days) => z.literal(days))).default(30),
  /** Seconds after which an unsettled hold may be recovered. */
  holdTtlSeconds: z.int().min(1).default(DEFAULT_HOLD_TTL_SECONDS),
  /**
   * What takes uploads of up to 25 MB, in front of which CloudFront gives the API one hostname: `web-function` is a
   * Lambda Web Function, `fargate` two tasks or more behind a VPC origin; with `none` there is no CloudFront, and files
   * may have 4 MB.
   */
  ingress: z.enum(['none', 'web-function', 'fargate']).default('none'),
  /** Requests a minute that one IP address may make (WAF counts approximately; its minimum is 10). */
  ipRequestsPerMinute: z.int().min(10).default(IP_REQUESTS_PER_MINUTE),
  /** Who accounts may sign in with, by the name in `POST /api/v1/auth/{identity_provider}`. */
  identityProviders: identityProvidersSchema.default({}),
  /** Where a payer returns to from the checkout; a page of the operator's own. */
  paymentReturnUrl: z.url({ protocol: /^https$/ }).default('https://example.com/'),
  /**
   * Requests a second that each API takes, and as many at once (API Gateway counts approximately). A region's default
   * is 10,000 for the whole account, and 1,000 Lambda functions at a time: more than this would starve what else the
   * account runs.
   */
  requestsPerSecond: z.int().min(1).max(10_000).default(1_000),
  /** Receives every alarm; none is sent when it is absent. AWS sends it a mail to confirm. */
  alarmEmail: z.email().optional(),
  /** Days back to which a table can be restored, to the second (1 to 35, DynamoDB point-in-time recovery). */
  recoveryDays: z.int().min(1).max(35).default(35),
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
      certificateArn: z.string().regex(/^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[0-9a-f-]+$/),
    })
    .refine(({ inference, platform }) => inference !== platform, {
      error: 'inference and platform must be two names: each API answers one',
    })
    .optional(),
});

export type Config = z.infer<typeof schema>;

/** The names of the settings. */
export const SETTINGS: readonly string[] = Object.keys(schema.shape);

/** Validates settings and fills defaults; throws an error that names the field. */
export function parseConfig(input: unknown): Config {
  const result = schema.safeParse(input);
  if (!result.success) throw new Error(`configuration: ${z.prettifyError(result.error)}`);
  if (result.data.holdTtlSeconds <= STREAM_TIMEOUT_SECONDS) {
    throw new Error(
      `configuration: holdTtlSeconds must exceed the longest call (${STREAM_TIMEOUT_SECONDS} s), got ${result.data.holdTtlSeconds}`,
    );
  }
  return result.data;
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

/** The deployment's settings: one typed, validated document; everything else about a deployment is derived. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { DEFAULT_HOLD_TTL_SECONDS, STREAM_TIMEOUT_SECONDS } from '../../lambdas/contract/environment.ts';
import { IP_REQUESTS_PER_MINUTE } from '../../lambdas/contract/limits.ts';

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
   * Lambda Web Function; with `none` there is no CloudFront, and files may have 4 MB.
   */
  ingress: z.enum(['none', 'web-function']).default('none'),
  /** Requests a minute that one IP address may make (WAF counts approximately; its minimum is 10). */
  ipRequestsPerMinute: z.int().min(10).default(IP_REQUESTS_PER_MINUTE),
});

export type Config = z.infer<typeof schema>;

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

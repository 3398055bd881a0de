/** The environment variables of the functions, named once for the stacks that set them and the handlers that read them. */

export const VARIABLES = {
  /** Secrets Manager name or ARN of the key pepper: JSON `{"current": text, "previous"?: text}`. */
  keyPepperSecret: 'KEY_PEPPER_SECRET',
  /** Secrets Manager name or ARN of the key that signs sessions: JSON `{"current": text, "previous"?: text}`. */
  sessionKeySecret: 'SESSION_KEY_SECRET',
  /** The identity providers that accounts sign in with, as JSON (`identity-providers.ts`). */
  identityProviders: 'IDENTITY_PROVIDERS',
  /** Secrets Manager name or ARN of the secrets of identity providers that need one: JSON `{"<provider>": text}`. */
  identitySecret: 'IDENTITY_SECRET',
  /** Secrets Manager name or ARN of the key that seals webhook secrets and event data; JSON like the pepper's. */
  webhookKeySecret: 'WEBHOOK_KEY_SECRET',
  /** The name of the service that people read. */
  serviceName: 'SERVICE_NAME',
  /** The address that alerts of money are mailed from; absent where none are. */
  alertMail: 'ALERT_MAIL',
  /** Name of the event bus that the platform's events go through. */
  eventBus: 'EVENT_BUS',
  /** Name of the group of one-time schedules for attempts that are due later than a queue can delay. */
  scheduleGroup: 'SCHEDULE_GROUP',
  /** ARN of the role those schedules act in. */
  scheduleRole: 'SCHEDULE_ROLE',
  /** Seconds for which one reader may be at a delivery before another takes over. */
  deliveryClaimSeconds: 'DELIVERY_CLAIM_SECONDS',
  /** Seconds after which an unsettled hold may be recovered; longer than the longest function may run. */
  holdTtlSeconds: 'HOLD_TTL_SECONDS',
  /** ARN of the workflow that settles transcriptions. */
  settlementWorkflow: 'SETTLEMENT_WORKFLOW',
  /** Name of the bucket of recordings, for the time of their transcription. */
  recordingsBucket: 'RECORDINGS_BUCKET',
  /** ARN of the customer's key that seals transcripts; `none` for the key of S3. */
  recordingsKey: 'RECORDINGS_KEY',
  /** Secrets Manager name or ARN of the payment provider's secret: JSON with `api_key`, `webhook_secret` and `connect_webhook_secret`. */
  paymentSecret: 'PAYMENT_SECRET',
  /** The address of the payment provider's API. */
  paymentApiUrl: 'PAYMENT_API_URL',
  /** The page to which a payer is sent after the checkout, with `order_id` and `outcome` in the query. */
  paymentReturnUrl: 'PAYMENT_RETURN_URL',
  /** The platform's part of a sale, in basis points of the price. */
  marketFeeBasisPoints: 'MARKET_FEE_BASIS_POINTS',
  /** Name of the bucket of builds. */
  buildsBucket: 'BUILDS_BUCKET',
  /** The origin to which the console uploads builds: that of presigned requests to the bucket. */
  uploadOrigin: 'UPLOAD_ORIGIN',
  /** The scanner of builds; `none` where there is none. */
  buildScan: 'BUILD_SCAN',
  /** The provider of payouts to sellers: `stripe`, or `none`. */
  marketPayouts: 'MARKET_PAYOUTS',
  /** Secrets Manager name of what the scheduled smoke test calls with: JSON that `smoke key` stores. */
  smokeSecret: 'SMOKE_SECRET',
  /** The models that the smoke test calls, separated by commas; absent for the chat model with the lowest price. */
  smokeModels: 'SMOKE_MODELS',
} as const;

/** The address of the payment provider's API in AWS (Stripe API reference). */
export const PAYMENT_API_URL = 'https://api.stripe.com';

/** The secret that `smoke key` fills. */
export const smokeSecretName = (stage: string): string => `${stage}/smoke`;

/** The variables that name the secrets of a deployment; each is an output of the data stack. */
export const SECRET_VARIABLES = [
  VARIABLES.keyPepperSecret,
  VARIABLES.sessionKeySecret,
  VARIABLES.webhookKeySecret,
  VARIABLES.identitySecret,
  VARIABLES.paymentSecret,
] as const;

export type SecretVariable = (typeof SECRET_VARIABLES)[number];

/**
 * Set to `1` on this machine, lets webhooks go to loopback addresses over HTTP. No template sets it: in AWS it would
 * open the function's own address to whoever may subscribe.
 */
export const ALLOW_LOOPBACK_VARIABLE = 'WEBHOOK_ALLOW_LOOPBACK';

/**
 * On this machine, the seconds until the proceeds of a sale are available. No template sets it: in AWS they would be
 * available before a bank may take back the money.
 */
export const MATURITY_VARIABLE = 'MATURITY_SECONDS';

/** On this machine, the seconds of a month of a subscription. No template sets it. */
export const PERIOD_VARIABLE = 'PERIOD_SECONDS';

/** Returns whether sellers are paid. Throws an error that names the variable if it is missing or malformed. */
export function hasPayouts(environment: Readonly<Record<string, string | undefined>>): boolean {
  const provider = requireVariable(environment, VARIABLES.marketPayouts);
  if (provider === 'stripe' || provider === 'none') return provider === 'stripe';
  throw new Error(`environment variable ${VARIABLES.marketPayouts} must be stripe or none`);
}

/** The stacks' output that holds what the variable holds; output names are alphanumeric. */
export const outputName = (variable: string): string => variable.replaceAll('_', '');

/** The longest a streaming function may run, seconds: API Gateway's and Lambda's limit (15 minutes). */
export const STREAM_TIMEOUT_SECONDS = 900;

/**
 * Default life of a hold, seconds. A live call must never be recovered under its own feet, so it outlives
 * the longest call (900 s) by 5 minutes of clock skew and settlement.
 */
export const DEFAULT_HOLD_TTL_SECONDS = STREAM_TIMEOUT_SECONDS + 300;

/**
 * Default time for which a reader claims a delivery, seconds. It is longer than an attempt can take (5 s for the receiver,
 * the rest for the database). It is shorter than a message stays hidden, so that the claim has ended when the message of a
 * dead process reappears.
 */
export const DEFAULT_DELIVERY_CLAIM_SECONDS = 40;

/** Returns the variable's value; throws an error that names it when it is missing or empty. */
export function requireVariable(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): string {
  const value = environment[name];
  if (value === undefined || value === '') throw new Error(`environment variable ${name} is not set`);
  return value;
}

/** Returns the variable as a positive integer; throws an error that names it otherwise. */
export function requirePositiveInteger(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): number {
  const value = Number(requireVariable(environment, name));
  if (!Number.isSafeInteger(value) || value <= 0) {
    throw new Error(`environment variable ${name} must be a positive integer`);
  }
  return value;
}

/** The environment variables of the functions, named once for the stacks that set them and the handlers that read them. */

export const VARIABLES = {
  /** Secrets Manager name or ARN of the key pepper: JSON `{"current": text, "previous"?: text}`. */
  keyPepperSecret: 'KEY_PEPPER_SECRET',
  /** Seconds after which an unsettled hold may be recovered; longer than the longest function may run. */
  holdTtlSeconds: 'HOLD_TTL_SECONDS',
  /** ARN of the workflow that settles transcriptions. */
  settlementWorkflow: 'SETTLEMENT_WORKFLOW',
} as const;

/** The data stack's output that holds what the variable holds; output names are alphanumeric. */
export const outputName = (variable: string): string => variable.replaceAll('_', '');

/** The longest a streaming function may run, seconds: API Gateway's and Lambda's limit (15 minutes). */
export const STREAM_TIMEOUT_SECONDS = 900;

/**
 * Default life of a hold, seconds. A live call must never be recovered under its own feet, so it outlives
 * the longest call (900 s) by 5 minutes of clock skew and settlement.
 */
export const DEFAULT_HOLD_TTL_SECONDS = STREAM_TIMEOUT_SECONDS + 300;

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

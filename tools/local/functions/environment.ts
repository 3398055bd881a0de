/** Composes the environment of a function's process: the shell's, the template's, Lambda's own and the overrides. */

import type { FunctionDescription } from '../assembly/functions.ts';
import { REGION } from '../assembly/intrinsics.ts';
import { LOCAL_SECRET } from '../aws/builds/signed-request.ts';
import { FUNCTION_ARN_VARIABLE } from './process-protocol.ts';

type FunctionEnvironment = Readonly<Record<string, string>>;

export interface FunctionEnvironmentOptions {
  readonly description: FunctionDescription;
  /** The shell's variables; what would reach the real AWS or change Node or npm is left out. */
  readonly passedThrough: Readonly<Record<string, string | undefined>>;
  /** Wins over the template. */
  readonly overrides: FunctionEnvironment;
  readonly accessKeyId: string;
  readonly awsEndpoint: string;
  readonly dynamodbEndpoint: string;
}

const LEFT_OUT = /^(AWS_|npm_|NODE_OPTIONS$|NODE_CHANNEL_)/;

/** Lambda developer guide, defined runtime environment variables. */
export function functionEnvironment(options: FunctionEnvironmentOptions): Record<string, string> {
  const { description, passedThrough, overrides } = options;
  const shell = Object.entries(passedThrough).filter(([name]) => !LEFT_OUT.test(name));
  return {
    ...(Object.fromEntries(shell) as FunctionEnvironment),
    ...description.environment,
    ...overrides,
    ...lambdaVariables(description),
    AWS_ACCESS_KEY_ID: options.accessKeyId,
    AWS_SECRET_ACCESS_KEY: LOCAL_SECRET,
    AWS_ENDPOINT_URL: options.awsEndpoint,
    AWS_ENDPOINT_URL_DYNAMODB: options.dynamodbEndpoint,
    [FUNCTION_ARN_VARIABLE]: description.arn,
  };
}

function lambdaVariables(description: FunctionDescription): FunctionEnvironment {
  return {
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: description.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(description.memoryMb),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${description.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    LAMBDA_TASK_ROOT: description.assetDir,
    TZ: ':UTC',
    _HANDLER: description.handler,
  };
}

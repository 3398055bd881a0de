/** The upload host as a Lambda Web Function: the `node:http` program of the transcription bundle, scaled to zero. */
import { join } from 'node:path';
import { Duration, Reference, Stack, Tokenization } from 'aws-cdk-lib';
import { Role } from 'aws-cdk-lib/aws-iam';
import {
  WebFunction,
  WebFunctionAuthType,
  WebFunctionCode,
  WebFunctionRuntime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { STREAM_TIMEOUT_SECONDS } from '../../lambdas/contract/environment.ts';
import type { Hosting } from './hosting.ts';

/** An environment has 512 MB of disk, and each upload up to 25 MB of it. */
const UPLOADS_AT_ONCE = 16;

export interface UploadHostProps {
  readonly bundles: string;
  readonly hosting: Hosting;
}

export class UploadHost extends Construct {
  readonly domainName: string;

  constructor(scope: Construct, id: string, { bundles, hosting }: UploadHostProps) {
    super(scope, id);
    const { role, environment, logGroup } = hosting;
    const variables = Object.entries(environment).map(([name, value]) => [name, imported(value)] as const);
    const host = new WebFunction(this, 'Function', {
      code: WebFunctionCode.fromAssetToManagedBucket(join(bundles, 'create-transcription'), {
        exclude: ['*.map', 'index.mjs', 'Dockerfile'],
      }),
      runtime: WebFunctionRuntime.NODEJS_24_X,
      entryPoint: 'host.mjs',
      role: Role.fromRoleArn(this, 'Role', imported(role.roleArn), { mutable: false }),
      environment: Object.fromEntries(variables),
      logGroup: LogGroup.fromLogGroupName(this, 'Logs', imported(logGroup.logGroupName)),
      timeout: Duration.seconds(STREAM_TIMEOUT_SECONDS),
      maxConcurrencyPerEnvironment: UPLOADS_AT_ONCE,
      // Callers hold API keys, which the endpoint verifies before it reads a body.
      defaultEndpointAuth: WebFunctionAuthType.APPLICATION_MANAGED,
    });
    this.domainName = host.endpoint.domainName;
  }
}

/**
 * A value of another stack as an explicit import: the construct writes its configuration a second time, for the copy
 * of its code, and there references to other stacks stay unresolved (aws-cdk-lib 2.276.0).
 */
function imported(value: string): string {
  const token = Tokenization.reverseCompleteString(value);
  return Reference.isReference(token) ? Stack.of(token.target).exportValue(value) : value;
}

/** A program that listens, as a Lambda Web Function: scaled to zero, with many calls at once in an environment. */
import { Duration, Reference, Stack, Tokenization, Validations } from 'aws-cdk-lib';
import { Role } from 'aws-cdk-lib/aws-iam';
import {
  WebFunction,
  WebFunctionAuthType,
  WebFunctionCode,
  WebFunctionRuntime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { STREAM_TIMEOUT_SECONDS } from '../../../lambdas/platform/contract/environment.ts';
import type { Hosting } from '../hosting.ts';
import { reportedPartition, reportedRegion } from '../reported-names.ts';

export interface HostFunctionProps {
  /** The folder of the program's bundle. */
  readonly program: string;
  /** The hosting of another stack. */
  readonly hosting: Hosting;
  /** Calls that one environment takes; Lambda starts another one for more. */
  readonly callsAtOnce: number;
}

export class HostFunction extends Construct {
  readonly domainName: string;
  readonly functionName: string;

  constructor(scope: Construct, id: string, { program, hosting, callsAtOnce }: HostFunctionProps) {
    super(scope, id);
    const { role, environment, logGroup } = hosting;
    const variables = Object.entries(environment).map(([name, value]) => [name, imported(value)] as const);
    const host = new WebFunction(this, 'Function', {
      code: WebFunctionCode.fromAssetToManagedBucket(program, {
        exclude: ['*.map', 'index.mjs', 'Dockerfile'],
      }),
      runtime: WebFunctionRuntime.NODEJS_24_X,
      entryPoint: 'host.mjs',
      role: Role.fromRoleArn(this, 'Role', imported(role.roleArn), { mutable: false }),
      environment: Object.fromEntries(variables),
      logGroup: LogGroup.fromLogGroupName(this, 'Logs', imported(logGroup.logGroupName)),
      timeout: Duration.seconds(STREAM_TIMEOUT_SECONDS),
      maxConcurrencyPerEnvironment: callsAtOnce,
      // Callers hold API keys, which the endpoints verify before they read a body.
      defaultEndpointAuth: WebFunctionAuthType.APPLICATION_MANAGED,
    });
    this.domainName = host.endpoint.domainName;
    this.functionName = host.webFunctionName;
    acknowledgeCopies(Stack.of(this));
  }
}

/**
 * Acknowledges the findings on resources that the CDK creates for the code of a Web Function: a bucket, and a function
 * that copies the code into it.
 */
function acknowledgeCopies(stack: Stack): void {
  const accept = (id: string, reason: string) =>
    Validations.of(stack).acknowledge({ id: `AwsSolutions-${id}`, reason });
  const copy = 'The CDK’s own function copies the code from its bucket of assets, and nothing else.';
  const assets = `cdk-hnb659fds-assets-<AWS::AccountId>-${reportedRegion(stack)}`;
  accept('S1', 'The bucket holds the code alone, and Lambda alone reads it.');
  accept('IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]', copy);
  accept(`IAM5[Resource::arn:${reportedPartition(stack)}:s3:::${assets}/*]`, copy);
  accept('IAM5[Resource::<AWSCDKWebFunctionAssetBucket5B596593.Arn>/web-function/*]', copy);
  accept('IAM5[Action::s3:Abort*]', copy);
  accept('IAM5[Action::s3:DeleteObject*]', copy);
}

/**
 * A value of another stack as an explicit import: the construct writes its configuration a second time, for the copy
 * of its code, and there references to other stacks stay unresolved (aws-cdk-lib 2.276.0).
 */
function imported(value: string): string {
  const fragments = Tokenization.reverseString(value);
  // A name with the account and the region in it refers to no other stack.
  const token = fragments.length === 1 ? fragments.firstToken : undefined;
  return Reference.isReference(token) ? Stack.of(token.target).exportValue(value) : value;
}

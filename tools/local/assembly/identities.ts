/**
 * Gives each resource the name, id and ARN it might have had in AWS, derived from its stack and logical id alone,
 * so that two runs agree without keeping a record.
 */
import { createHash } from 'node:crypto';
import { ACCOUNT_ID, PARTITION, REGION } from './intrinsics.ts';

/** The results of `Ref` and `Fn::GetAtt` for a resource. */
export interface ResourceIdentity {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface UnnamedResource {
  readonly stack: string;
  readonly logicalId: string;
  /** The resolved value of a property that names the resource, if the template sets it. */
  property(name: string): string | undefined;
}

/** An ARN of this account and Region; `resource` is everything after the account. */
export function regionalArn(service: string, resource: string): string {
  return `arn:${PARTITION}:${service}:${REGION}:${ACCOUNT_ID}:${resource}`;
}

/** Secrets Manager ends an ARN with six random characters; these depend on the name. */
export function secretArn(name: string): string {
  return regionalArn('secretsmanager', `secret:${name}-${token(name, 6)}`);
}

/** In AWS the last part is the time at which the stream was switched on. */
export const streamArnOf = (tableName: string): string =>
  regionalArn('dynamodb', `table/${tableName}/stream/local`);

function token(text: string, length: number): string {
  const digest = createHash('sha256').update(text).digest();
  return BigInt(`0x${digest.toString('hex')}`)
    .toString(36)
    .slice(0, length);
}

const generatedName = (resource: UnnamedResource) => `${resource.stack}-${resource.logicalId}`;

type Identify = (resource: UnnamedResource) => ResourceIdentity;

const generatedId: Identify = (resource) => ({ ref: token(generatedName(resource), 10), attributes: {} });

/** The identity of a resource whose name is that property, or else generated. */
const named =
  (property: string, identify: (name: string, resource: UnnamedResource) => ResourceIdentity): Identify =>
  (resource) =>
    identify(resource.property(property) ?? generatedName(resource), resource);

/** A resource that `Ref` refers to by its name. */
const byName = (ref: string, Arn: string, further: Readonly<Record<string, string>> = {}) => ({
  ref,
  attributes: { Arn, ...further },
});

/** Identities by resource type. A missing type cannot be referred to. */
export const IDENTITIES: Readonly<Record<string, Identify>> = {
  'AWS::DynamoDB::GlobalTable': named('TableName', (name) =>
    byName(name, regionalArn('dynamodb', `table/${name}`), { StreamArn: streamArnOf(name) }),
  ),
  'AWS::SecretsManager::Secret': (resource) => {
    const arn = secretArn(secretName(resource));
    return { ref: arn, attributes: { Id: arn } };
  },
  'AWS::Lambda::Function': named('FunctionName', (name) =>
    byName(name, regionalArn('lambda', `function:${name}`)),
  ),
  'AWS::GuardDuty::MalwareProtectionPlan': (resource) => {
    const id = token(generatedName(resource), 20);
    return byName(id, regionalArn('guardduty', `malware-protection-plan/${id}`));
  },
  'AWS::IAM::Role': named('RoleName', (name, resource) =>
    byName(name, `arn:${PARTITION}:iam::${ACCOUNT_ID}:role${resource.property('Path') ?? '/'}${name}`),
  ),
  'AWS::Logs::LogGroup': named('LogGroupName', (name) =>
    byName(name, regionalArn('logs', `log-group:${name}:*`)),
  ),
  'AWS::ApiGateway::RestApi': (resource) => ({
    ref: token(generatedName(resource), 10),
    attributes: { RootResourceId: token(`${generatedName(resource)}/`, 10) },
  }),
  'AWS::ApiGateway::Resource': generatedId,
  'AWS::ApiGateway::Deployment': generatedId,
  'AWS::ApiGateway::Stage': named('StageName', (ref) => ({ ref, attributes: {} })),
  'AWS::Events::Rule': named('Name', (name, resource) => {
    const bus = resource.property('EventBusName');
    return byName(name, regionalArn('events', `rule/${bus === undefined ? '' : `${bus}/`}${name}`));
  }),
  'AWS::Events::EventBus': named('Name', (name) =>
    byName(name, regionalArn('events', `event-bus/${name}`), { Name: name }),
  ),
  'AWS::S3::Bucket': named('BucketName', (name) => byName(name, `arn:${PARTITION}:s3:::${name}`)),
  'AWS::Scheduler::ScheduleGroup': named('Name', (name) =>
    byName(name, regionalArn('scheduler', `schedule-group/${name}`)),
  ),
  'AWS::SNS::Topic': named('TopicName', (name) => ({ ref: regionalArn('sns', name), attributes: {} })),
  'AWS::SQS::Queue': named('QueueName', (name) => ({
    ref: `https://sqs.${REGION}.amazonaws.com/${ACCOUNT_ID}/${name}`,
    attributes: { Arn: regionalArn('sqs', name), QueueName: name },
  })),
  'AWS::StepFunctions::StateMachine': named('StateMachineName', (name) => {
    const arn = regionalArn('states', `stateMachine:${name}`);
    return { ref: arn, attributes: { Arn: arn, Name: name } };
  }),
  'AWS::WAFv2::WebACL': named('Name', (name) =>
    byName(
      `${name}|${token(name, 32)}|REGIONAL`,
      regionalArn('wafv2', `regional/webacl/${name}/${token(name, 32)}`),
    ),
  ),
};

/** The name under which a secret of the templates is read. */
export function secretName(resource: UnnamedResource): string {
  return resource.property('Name') ?? generatedName(resource);
}

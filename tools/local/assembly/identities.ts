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

const generatedId = (resource: UnnamedResource): ResourceIdentity => ({
  ref: token(generatedName(resource), 10),
  attributes: {},
});

/** Identities by resource type. A missing type cannot be referred to. */
export const IDENTITIES: Readonly<Record<string, (resource: UnnamedResource) => ResourceIdentity>> = {
  'AWS::DynamoDB::Table': (resource) => {
    const name = resource.property('TableName') ?? generatedName(resource);
    return {
      ref: name,
      attributes: { Arn: regionalArn('dynamodb', `table/${name}`), StreamArn: streamArnOf(name) },
    };
  },
  'AWS::SecretsManager::Secret': (resource) => {
    const arn = secretArn(secretName(resource));
    return { ref: arn, attributes: { Id: arn } };
  },
  'AWS::Lambda::Function': (resource) => {
    const name = resource.property('FunctionName') ?? generatedName(resource);
    return { ref: name, attributes: { Arn: regionalArn('lambda', `function:${name}`) } };
  },
  // There is one version of a function here, so that its alias is the function.
  'AWS::Lambda::Alias': (resource) => {
    const name = resource.property('FunctionName') ?? generatedName(resource);
    return { ref: regionalArn('lambda', `function:${name}`), attributes: {} };
  },
  'AWS::IAM::Role': (resource) => {
    const name = resource.property('RoleName') ?? generatedName(resource);
    return { ref: name, attributes: { Arn: `arn:${PARTITION}:iam::${ACCOUNT_ID}:role/${name}` } };
  },
  'AWS::Logs::LogGroup': (resource) => {
    const name = resource.property('LogGroupName') ?? generatedName(resource);
    return { ref: name, attributes: { Arn: regionalArn('logs', `log-group:${name}:*`) } };
  },
  'AWS::ApiGateway::RestApi': (resource) => ({
    ref: token(generatedName(resource), 10),
    attributes: { RootResourceId: token(`${generatedName(resource)}/`, 10) },
  }),
  'AWS::ApiGateway::Resource': generatedId,
  'AWS::ApiGateway::Deployment': generatedId,
  'AWS::ApiGateway::Stage': (resource) => ({
    ref: resource.property('StageName') ?? generatedName(resource),
    attributes: {},
  }),
  'AWS::Events::Rule': (resource) => {
    const name = resource.property('Name') ?? generatedName(resource);
    const bus = resource.property('EventBusName');
    const path = bus === undefined ? name : `${bus}/${name}`;
    return { ref: name, attributes: { Arn: regionalArn('events', `rule/${path}`) } };
  },
  'AWS::Events::EventBus': (resource) => {
    const name = resource.property('Name') ?? generatedName(resource);
    return { ref: name, attributes: { Arn: regionalArn('events', `event-bus/${name}`), Name: name } };
  },
  'AWS::Scheduler::ScheduleGroup': (resource) => {
    const name = resource.property('Name') ?? generatedName(resource);
    return { ref: name, attributes: { Arn: regionalArn('scheduler', `schedule-group/${name}`) } };
  },
  'AWS::SQS::Queue': (resource) => {
    const name = resource.property('QueueName') ?? generatedName(resource);
    const url = `https://sqs.${REGION}.amazonaws.com/${ACCOUNT_ID}/${name}`;
    return { ref: url, attributes: { Arn: regionalArn('sqs', name), QueueName: name } };
  },
  'AWS::StepFunctions::StateMachine': (resource) => {
    const name = resource.property('StateMachineName') ?? generatedName(resource);
    const arn = regionalArn('states', `stateMachine:${name}`);
    return { ref: arn, attributes: { Arn: arn, Name: name } };
  },
  'AWS::WAFv2::WebACL': (resource) => {
    const name = resource.property('Name') ?? generatedName(resource);
    const arn = regionalArn('wafv2', `regional/webacl/${name}/${token(name, 32)}`);
    return { ref: `${name}|${token(name, 32)}|REGIONAL`, attributes: { Arn: arn } };
  },
};

/** The name under which a secret of the templates is read. */
export function secretName(resource: UnnamedResource): string {
  return resource.property('Name') ?? generatedName(resource);
}

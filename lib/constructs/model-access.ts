/**
 * The permissions of a role that calls models on AWS: the actions of inference alone, on any model that the catalog
 * names at run time.
 */
import { Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { reportedPartition } from './reported-names.ts';

/**
 * Allows the models of Bedrock. A cross-region inference profile belongs to this account; its models are in every
 * region of the profile.
 */
export function allowBedrockModels(role: Role): void {
  const { partition, account } = Stack.of(role);
  const actions = ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'];
  allow(role, actions, `arn:${partition}:bedrock:*::foundation-model/*`);
  allow(role, actions, `arn:${partition}:bedrock:*:${account}:inference-profile/*`);
  for (const resource of [':foundation-model/*', '<AWS::AccountId>:inference-profile/*']) {
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:${reportedPartition(role)}:bedrock:*:${resource}]`,
      reason:
        'The catalog names models and regions at run time; the role may call models and nothing else there.',
    });
  }
}

/** The services of `aws-address.ts` in addition to Bedrock, each with the resource of its calls. */
const SIGNED_SERVICES = [
  ['bedrock-mantle', 'project'],
  ['aws-external-anthropic', 'workspace'],
] as const;

/**
 * The one action of inference of each service, on any project or workspace of this account (service authorization
 * reference, Amazon Bedrock Powered by AWS Mantle; Claude Platform on AWS user guide, IAM policies).
 */
export function allowSignedModels(role: Role): void {
  const { partition, account } = Stack.of(role);
  for (const [service, resource] of SIGNED_SERVICES) {
    allow(role, [`${service}:CreateInference`], `arn:${partition}:${service}:*:${account}:${resource}/*`);
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:${reportedPartition(role)}:${service}:*:<AWS::AccountId>:${resource}/*]`,
      reason:
        'The catalog names regions and workspaces at run time; the role may ask for inference and nothing else there.',
    });
  }
}

/** Allows speech of Amazon Polly, in every region. */
export function allowSpeech(role: Role): void {
  allow(role, ['polly:SynthesizeSpeech'], '*');
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'The action takes no resource (Amazon Polly API permissions reference, SynthesizeSpeech).',
  });
}

/**
 * Allows the guardrails of this account, and the profiles by which one judges in several regions (Amazon Bedrock user
 * guide, Set up permissions to use Guardrails; Permissions for using cross-Region inference with Guardrails).
 */
export function allowGuardrails(role: Role): void {
  const { partition, account } = Stack.of(role);
  for (const resource of ['guardrail', 'guardrail-profile']) {
    allow(role, ['bedrock:ApplyGuardrail'], `arn:${partition}:bedrock:*:${account}:${resource}/*`);
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:${reportedPartition(role)}:bedrock:*:<AWS::AccountId>:${resource}/*]`,
      reason:
        'The catalog names guardrails and regions at run time; the role may apply them and nothing else there.',
    });
  }
}

function allow(role: Role, actions: string[], resource: string): void {
  role.addToPolicy(new PolicyStatement({ actions, resources: [resource] }));
}

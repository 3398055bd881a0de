/**
 * Says which IAM actions on which models a Bedrock call needs.
 * Source: service authorization reference, actions for Amazon Bedrock; an inference profile needs itself and its model.
 */

import { regionalArn } from '../assembly/identities.ts';
import { PARTITION, REGION } from '../assembly/intrinsics.ts';
import type { NeededAccess } from './dynamodb-access.ts';
import { AwsError, parseBody, unknownCall } from './errors.ts';

/** Bedrock API reference, Converse, ConverseStream and InvokeModel, URI Request Parameters. */
const PATH = /^\/model\/([^/]+)\/(converse|converse-stream|invoke)$/;

/** Geographies of system-defined inference profiles (Bedrock user guide, Supported Regions and models for inference profiles). */
const PROFILE = /^(?:us|us-gov|eu|apac|au|ca|jp|sa|in|global)\.(.+)$/;

const PROFILE_ARN = /^arn:[^:]+:bedrock:[^:]*:[^:]*:inference-profile\/(.+)$/;

/** Those whose model is in the body (Amazon Bedrock user guide, Endpoints supported by Amazon Bedrock). */
const BODY_PATH = /^\/(?:openai\/v1\/(?:chat\/completions|responses)|anthropic\/v1\/messages)$/;

/** The reads of what the account may call: IAM knows no smaller resource for the lists (service authorization reference). */
const READS: readonly (readonly [RegExp, string])[] = [
  [/^\/foundation-models$/, 'bedrock:ListFoundationModels'],
  [/^\/inference-profiles(?:\?|$)/, 'bedrock:ListInferenceProfiles'],
  [/^\/foundation-model-availability\/[^/]+$/, 'bedrock:GetFoundationModelAvailability'],
];

/** A call as it comes in. */
export interface BedrockRequest {
  readonly path: string;
  readonly body: Buffer;
}

/** Throws `UnknownOperationException` on a path that is not a model's, and `ValidationException` without a model. */
export function neededBedrockAccess({ path, body }: BedrockRequest): readonly NeededAccess[] {
  const read = READS.find(([pattern]) => pattern.test(path))?.[1];
  if (read !== undefined) return [{ action: read, resourceArn: '*' }];
  if (BODY_PATH.test(path)) return accessOfBody(body);
  const [, encoded, operation] = PATH.exec(path) ?? [];
  if (encoded === undefined) throw unknownCall(`Bedrock call ${path}`, 404);
  return [
    ...accessOf(decodeURIComponent(encoded), operation === 'converse-stream'),
    ...(operation === 'invoke' ? [] : accessOfGuardrail(body)),
  ];
}

/** Source: Amazon Bedrock user guide, Set up permissions to use Guardrails. */
function accessOfGuardrail(body: Buffer): readonly NeededAccess[] {
  const { guardrailConfig } = parseBody<{ readonly guardrailConfig?: { guardrailIdentifier?: string } }>(
    body,
  );
  const { guardrailIdentifier: id } = guardrailConfig ?? {};
  if (id === undefined) return [];
  const resourceArn = id.startsWith('arn:') ? id : regionalArn('bedrock', `guardrail/${id}`);
  return [{ action: 'bedrock:ApplyGuardrail', resourceArn }];
}

function accessOfBody(body: Buffer): readonly NeededAccess[] {
  const { model, stream } = parseBody<{ readonly model?: unknown; readonly stream?: unknown }>(body);
  if (typeof model !== 'string') throw new AwsError('ValidationException', 'the body names no model');
  return accessOf(model, stream === true);
}

const accessOf = (model: string, streams: boolean): readonly NeededAccess[] =>
  resourcesOf(model).map((resourceArn) => ({
    action: streams ? 'bedrock:InvokeModelWithResponseStream' : 'bedrock:InvokeModel',
    resourceArn,
  }));

function resourcesOf(modelId: string): string[] {
  const profileId = PROFILE_ARN.exec(modelId)?.[1] ?? modelId;
  const model = PROFILE.exec(profileId)?.[1];
  if (model !== undefined) return [profileArn(modelId), foundationModelArn(model)];
  return [modelId.startsWith('arn:') ? modelId : foundationModelArn(modelId)];
}

const profileArn = (id: string): string =>
  id.startsWith('arn:') ? id : regionalArn('bedrock', `inference-profile/${id}`);

/** Models belong to no account. */
const foundationModelArn = (id: string): string =>
  `arn:${PARTITION}:bedrock:${REGION}::foundation-model/${id}`;

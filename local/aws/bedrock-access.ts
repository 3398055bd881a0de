/**
 * Says which IAM actions on which models a Bedrock call needs.
 * Source: service authorization reference, actions for Amazon Bedrock; an inference profile needs itself and its model.
 */

import { regionalArn } from '../assembly/identities.ts';
import { PARTITION, REGION } from '../assembly/intrinsics.ts';
import type { NeededAccess } from './dynamodb-access.ts';
import { unknownCall } from './errors.ts';

/** Bedrock API reference, Converse, ConverseStream and InvokeModel, URI Request Parameters. */
const PATH = /^\/model\/([^/]+)\/(converse|converse-stream|invoke)$/;

/** Geographies of system-defined inference profiles (Bedrock user guide, Supported Regions and models for inference profiles). */
const PROFILE = /^(?:us|us-gov|eu|apac|au|ca|jp|sa|global)\.(.+)$/;

const PROFILE_ARN = /^arn:[^:]+:bedrock:[^:]*:[^:]*:inference-profile\/(.+)$/;

/** Throws `UnknownOperationException` on a path that is not a model's. */
export function neededBedrockAccess(path: string): readonly NeededAccess[] {
  const [, encoded, operation] = PATH.exec(path) ?? [];
  if (encoded === undefined) throw unknownCall(`Bedrock call ${path}`, 404);
  const action =
    operation === 'converse-stream' ? 'bedrock:InvokeModelWithResponseStream' : 'bedrock:InvokeModel';
  return resourcesOf(decodeURIComponent(encoded)).map((resourceArn) => ({ action, resourceArn }));
}

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

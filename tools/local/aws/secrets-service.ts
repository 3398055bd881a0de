/** Secrets Manager, as far as functions read it. Source: Secrets Manager API reference. */
import type { AwsServiceHandler } from './endpoint.ts';
import { sendJson } from './endpoint.ts';
import { AwsError, unknownCall } from './errors.ts';
import type { SecretStore } from './secret-store.ts';

interface GetSecretValueRequest {
  readonly SecretId?: string;
  readonly VersionId?: string;
  readonly VersionStage?: string;
}

const CURRENT = 'AWSCURRENT';

export function createSecretsService(store: SecretStore): AwsServiceHandler {
  return async ({ operation, body, authorize }, response) => {
    if (operation !== 'GetSecretValue') throw unknownCall(`Secrets Manager call ${operation}`);
    const { SecretId: id, VersionId: version, VersionStage: stage = CURRENT } = parse(body);
    if (id === undefined || id === '')
      throw new AwsError('InvalidParameterException', 'SecretId is required');
    authorize('secretsmanager:GetSecretValue', store.arnOf(id));
    const secret = store.find(id);
    if (
      secret === undefined ||
      stage !== CURRENT ||
      (version !== undefined && version !== secret.versionId)
    ) {
      throw new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
    }
    const value = {
      ARN: secret.arn,
      Name: secret.name,
      SecretString: secret.value,
      VersionId: secret.versionId,
      VersionStages: [CURRENT],
      CreatedDate: secret.created,
    };
    sendJson(response, 200, JSON.stringify(value));
  };
}

function parse(body: Buffer): GetSecretValueRequest {
  try {
    return JSON.parse(body.toString()) as GetSecretValueRequest;
  } catch {
    throw new AwsError('SerializationException', 'the request body is not a JSON object');
  }
}

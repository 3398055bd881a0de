/** Secrets Manager, as far as functions read it. Source: Secrets Manager API reference. */
import type { AwsServiceHandler } from './endpoint.ts';
import { AwsError, parseBody, unknownCall } from './errors.ts';
import type { SecretStore } from './secret-store.ts';

interface GetSecretValueRequest {
  readonly SecretId?: string;
  readonly VersionId?: string;
  readonly VersionStage?: string;
}

const CURRENT = 'AWSCURRENT';

export function createSecretsService(store: SecretStore): AwsServiceHandler {
  return async ({ operation, body, authorize }) => {
    if (operation !== 'GetSecretValue') throw unknownCall(`Secrets Manager call ${operation}`);
    const {
      SecretId: id,
      VersionId: version,
      VersionStage: stage = CURRENT,
    } = parseBody<GetSecretValueRequest>(body);
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
    return {
      ARN: secret.arn,
      Name: secret.name,
      SecretString: secret.value,
      VersionId: secret.versionId,
      VersionStages: [CURRENT],
      CreatedDate: secret.created,
    };
  };
}

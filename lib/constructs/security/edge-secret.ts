/**
 * The secret that authenticates requests of CloudFront. CloudFront sets it in a header, and replaces any value of the
 * caller (CloudFront developer guide, Add custom headers to origin requests). Without the secret, the address that is
 * sent with it is not trusted. It is generated in Secrets Manager; templates contain only references, which
 * CloudFormation resolves. A principal that may read the account's web ACLs or distributions can read it there.
 */
import { SecretValue, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { Config } from '../../config/config.ts';

export const EDGE_SECRET_HEADER = 'x-origin-secret';

type Generation = Pick<Config, 'stage' | 'edgeSecretGeneration'>;

const nameOf = (stage: string, generation: number): string => `${stage}/edge/${generation}`;

const referenceTo = (name: string): string => SecretValue.secretsManager(name).unsafeUnwrap();

/**
 * Returns the secret that CloudFront sends. The reference is by name, so that CloudFront's stack imports nothing that
 * exists only under another setting.
 */
export const edgeSecret = ({ stage, edgeSecretGeneration }: Generation): string =>
  referenceTo(nameOf(stage, edgeSecretGeneration));

export interface EdgeSecrets {
  /** The resources to create before those that refer to them. */
  readonly resources: readonly Secret[];
  /**
   * The accepted secrets. CloudFront needs minutes to send a new one from all locations, so the previous one is valid
   * as well.
   */
  readonly accepted: readonly string[];
}

/** Generates the secrets of this generation and of the one before. */
export function createEdgeSecrets(
  scope: Construct,
  { stage, edgeSecretGeneration: latest }: Generation,
): EdgeSecrets {
  const generations = latest === 1 ? [1] : [latest - 1, latest];
  const resources = generations.map((generation) => {
    const secret = new Secret(scope, `EdgeSecret${generation}`, {
      secretName: nameOf(stage, generation),
      description: 'What CloudFront shows the APIs, so that the address that it forwards is believed',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'The setting edgeSecretGeneration rotates it: CloudFront and the web ACL must be deployed with it.',
    });
    return secret;
  });
  return { resources, accepted: generations.map((generation) => referenceTo(nameOf(stage, generation))) };
}

/** Describes the secrets of an assembly and how their first value is made. */
import { secretName } from './identities.ts';
import type { Stacks } from './stacks.ts';

/** AWS CloudFormation reference, AWS::SecretsManager::Secret GenerateSecretString. */
export interface GenerateSecretString {
  readonly ExcludePunctuation?: boolean;
  readonly GenerateStringKey?: string;
  readonly PasswordLength?: number;
  readonly SecretStringTemplate?: string;
}

export interface SecretDescription {
  readonly name: string;
  readonly arn: string;
  /** A literal first value; the template may have one instead of a recipe. */
  readonly value: string | undefined;
  readonly generate: GenerateSecretString | undefined;
}

interface SecretProperties {
  readonly SecretString?: string;
  readonly GenerateSecretString?: GenerateSecretString;
}

export function describeSecrets(stacks: Stacks): readonly SecretDescription[] {
  return stacks.resources('AWS::SecretsManager::Secret').map((resource) => {
    const { SecretString: value, GenerateSecretString: generate } = resource.properties<SecretProperties>();
    return {
      name: secretName(stacks.unnamed(resource.stack, resource.logicalId)),
      arn: resource.identity.ref,
      value,
      generate,
    };
  });
}

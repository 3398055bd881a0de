/**
 * The right to mail alerts of money from the operator's address, where the settings have one.
 *
 * SES asks for it on the identity that is verified, which may be a parent of the address's domain, on the recipient's in its
 * sandbox, and on the configuration set that an identity may have. So the address of the sender confines it (service
 * authorization reference, Amazon Simple Email Service v2: `SendEmail`, `identity*`, `configuration-set`, `ses:FromAddress`).
 */
import { Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { VARIABLES } from '../../lambdas/platform/contract/environment.ts';
import { TABLES } from '../../lambdas/platform/contract/tables.ts';
import type { Config } from '../config/config.ts';
import { reportedPartition, reportedRegion } from './reported-names.ts';
import type { StoredData } from './stored-data.ts';

/** Returns the variables; none where nothing is mailed. */
export function allowMails(role: Role, config: Config, { tables }: StoredData): Record<string, string> {
  const { alertMail: address, paymentReturnUrl, serviceName } = config;
  const { accounts } = tables;
  if (address === undefined || paymentReturnUrl === undefined || accounts === undefined) return {};
  role.addToPolicy(new PolicyStatement({ actions: ['dynamodb:GetItem'], resources: [accounts.tableArn] }));
  const kinds = ['identity', 'configuration-set'];
  role.addToPolicy(
    new PolicyStatement({
      actions: ['ses:SendEmail'],
      resources: kinds.map((resource) =>
        Stack.of(role).formatArn({ service: 'ses', resource, resourceName: '*' }),
      ),
      conditions: { StringEquals: { 'ses:FromAddress': address } },
    }),
  );
  const account = `arn:${reportedPartition(role)}:ses:${reportedRegion(role)}:<AWS::AccountId>`;
  for (const kind of kinds)
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${account}:${kind}/*]`,
      reason: 'The address of the sender confines it.',
    });
  return {
    [TABLES.accounts.variable]: accounts.tableName,
    [VARIABLES.alertMail]: address,
    [VARIABLES.paymentReturnUrl]: paymentReturnUrl,
    [VARIABLES.serviceName]: serviceName,
  };
}

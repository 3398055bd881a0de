/** A release of one function of a deployed stack: an update of its template, with other code. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  UpdateStackCommand,
} from '@aws-sdk/client-cloudformation';
import { ACCOUNT, type Emulator, REGION } from './emulator.ts';

interface Template {
  readonly Resources: Readonly<Record<string, { readonly Properties?: Record<string, unknown> }>>;
}

/** Resolves when the stack has the code; throws if its update fails. */
export async function releaseFunction(
  emulator: Emulator,
  stack: string,
  functionName: string,
  code: string,
): Promise<void> {
  const client = new CloudFormationClient(emulator.client);
  try {
    const { TemplateBody: body = '' } = await client.send(new GetTemplateCommand({ StackName: stack }));
    const template = JSON.parse(body) as Template;
    const properties = Object.values(template.Resources).find(
      ({ Properties }) => Properties?.FunctionName === functionName,
    )?.Properties;
    if (properties === undefined) throw new Error(`the template has no ${functionName}`);
    properties.Code = { ZipFile: code };
    // A template of this size is read from the bucket that the bootstrap made.
    const path = `/cdk-hnb659fds-assets-${ACCOUNT}-${REGION}/release.json`;
    await emulator.send('s3', path, { method: 'PUT', body: JSON.stringify(template) });
    await client.send(
      new UpdateStackCommand({
        StackName: stack,
        TemplateURL: `${emulator.url}${path}`,
        Capabilities: ['CAPABILITY_IAM', 'CAPABILITY_NAMED_IAM'],
      }),
    );
    let status = 'UPDATE_IN_PROGRESS';
    while (status.endsWith('_IN_PROGRESS')) {
      await sleep(100);
      const { Stacks: stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
      status = stacks?.[0]?.StackStatus ?? '';
    }
    if (status !== 'UPDATE_COMPLETE') throw new Error(`the update of ${stack} ended as ${status}`);
  } finally {
    client.destroy();
  }
}

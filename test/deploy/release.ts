/** Releases of one function of the deployed inference stack, each an update of its template, with calls meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CloudFormationClient,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
  UpdateStackCommand,
} from '@aws-sdk/client-cloudformation';
import { GetAliasCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ACCOUNT, type Emulator, REGION } from './emulator.ts';

interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a template holds is changed here as an operator's editor would.
  Properties: Record<string, any>;
}
export type Template = { readonly Resources: Record<string, Resource> };

export interface ReleaseResult {
  /** The status that the stack ended with. */
  readonly status: string;
  /** The reason for the failed update of the alias. */
  readonly reason: string | undefined;
  /** The statuses of the calls during the release. */
  readonly statuses: readonly number[];
}

/** Calls that wait for one another: as many functions run. */
const CALLERS = 2;

const LIVE = 'live';

export class Releases {
  readonly #emulator: Emulator;
  readonly #stack: string;
  readonly #functionName: string;
  readonly #cloudFormation: CloudFormationClient;
  readonly #lambda: LambdaClient;
  #count = 0;

  /** Creates a release of the function whose name ends in `functionName`. */
  constructor(emulator: Emulator, stack: string, functionName: string) {
    this.#emulator = emulator;
    this.#stack = stack;
    this.#functionName = functionName;
    this.#cloudFormation = new CloudFormationClient(emulator.client);
    this.#lambda = new LambdaClient(emulator.client);
  }

  dispose(): void {
    this.#cloudFormation.destroy();
    this.#lambda.destroy();
  }

  /** The version that the alias leads to, and the shares of others. */
  async alias(): Promise<{ readonly version: string; readonly shares: Readonly<Record<string, number>> }> {
    const command = new GetAliasCommand({ FunctionName: this.#functionName, Name: LIVE });
    const { FunctionVersion: version = '', RoutingConfig: routing } = await this.#lambda.send(command);
    return { version, shares: routing?.AdditionalVersionWeights ?? {} };
  }

  /** The function's own resource in a template. */
  functionOf(template: Template): Resource {
    const resource = Object.values(template.Resources).find(
      ({ Type, Properties: { FunctionName: name } }) =>
        Type === 'AWS::Lambda::Function' && name === this.#functionName,
    );
    if (resource === undefined) throw new Error(`the template has no ${this.#functionName}`);
    return resource;
  }

  /** The deployment group that releases the function. */
  groupOf(template: Template): Resource {
    const [, name = ''] = /-inference-(.*)$/.exec(this.#functionName) ?? [];
    const resource = Object.values(template.Resources).find(
      ({ Type, Properties: { DeploymentGroupName: group } }) =>
        Type === 'AWS::CodeDeploy::DeploymentGroup' && group === name,
    );
    if (resource === undefined) throw new Error(`the template has no deployment group ${name}`);
    return resource;
  }

  /**
   * Updates the stack with a template that was changed so, and with the next version of the function; calls until the
   * stack is done with it. `call` resolves with the status of an answer.
   */
  async release(change: (template: Template) => void, call: () => Promise<number>): Promise<ReleaseResult> {
    const template = await this.#nextTemplate();
    change(template);
    const url = await this.#store(JSON.stringify(template));
    const startedAt = new Date();
    await this.#cloudFormation.send(
      new UpdateStackCommand({
        StackName: this.#stack,
        TemplateURL: url,
        Capabilities: ['CAPABILITY_IAM', 'CAPABILITY_NAMED_IAM'],
      }),
    );
    const statuses: number[] = [];
    let status = 'UPDATE_IN_PROGRESS';
    const caller = async () => {
      while (status.endsWith('_IN_PROGRESS')) statuses.push(await call());
    };
    const calling = Array.from({ length: CALLERS }, caller);
    while (status.endsWith('_IN_PROGRESS')) {
      await sleep(100);
      const { Stacks: stacks } = await this.#cloudFormation.send(
        new DescribeStacksCommand({ StackName: this.#stack }),
      );
      status = stacks?.[0]?.StackStatus ?? '';
    }
    await Promise.all(calling);
    return { status, reason: await this.#failure(startedAt), statuses };
  }

  /** Returns the template that the CDK makes of changed code: the version is another resource, under another id. */
  async #nextTemplate(): Promise<Template> {
    const command = new GetTemplateCommand({ StackName: this.#stack });
    const { TemplateBody: body = '' } = await this.#cloudFormation.send(command);
    const { Resources: resources } = JSON.parse(body) as Template;
    const functionId = Object.entries(resources).find(
      ([, { Properties }]) => Properties?.FunctionName === this.#functionName,
    )?.[0];
    const version = Object.entries(resources).find(
      ([, { Type, Properties }]) =>
        Type === 'AWS::Lambda::Version' && Properties.FunctionName.Ref === functionId,
    )?.[0];
    if (version === undefined) throw new Error(`${this.#functionName} has no version`);
    this.#count += 1;
    return JSON.parse(body.replaceAll(`"${version}"`, `"${version}${this.#count}"`)) as Template;
  }

  /** A template of this size is read from the bucket that the bootstrap made. */
  async #store(body: string): Promise<string> {
    const path = `/cdk-hnb659fds-assets-${ACCOUNT}-${REGION}/release-${this.#count}.json`;
    await this.#emulator.send('s3', path, { method: 'PUT', body });
    return `${this.#emulator.url}${path}`;
  }

  /** The reason of the first resource that failed since. */
  async #failure(since: Date): Promise<string | undefined> {
    const command = new DescribeStackEventsCommand({ StackName: this.#stack });
    const { StackEvents: events = [] } = await this.#cloudFormation.send(command);
    return events
      .filter(({ Timestamp: at }) => at !== undefined && at >= since)
      .findLast(({ ResourceStatus: status }) => status === 'UPDATE_FAILED' || status === 'CREATE_FAILED')
      ?.ResourceStatusReason;
  }
}

/** The stacks of a stage in CloudFormation: their states, and what a deployment or a removal does before it begins. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CloudFormationClient,
  DeleteStackCommand,
  GetTemplateCommand,
  paginateDescribeStacks,
  paginateListStackResources,
  type Stack,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import * as z from 'zod';
import { isStackOf } from '../../lib/config/stage-names.ts';

const template = z.looseObject({
  Resources: z.record(z.string(), z.looseObject({ DeletionPolicy: z.string().optional() })),
});

/** A resource that the deletion of its stack leaves behind. */
export interface RetainedResource {
  /** The type in the template. */
  readonly type: string;
  /** The name or the id that AWS knows it by. */
  readonly id: string;
}

const POLL_MS = 5_000;

/** A distribution of CloudFront and its network take most of an hour to go. */
const MAX_WAIT_MS = 3_600_000;

/** A change set that was never executed leaves a stack in this state, which ends by itself in the next deployment. */
const UNSTARTED = 'REVIEW_IN_PROGRESS';

export class StageStacks {
  readonly #client: CloudFormationClient;
  readonly #stage: string;

  constructor(region: string, stage: string) {
    this.#client = new CloudFormationClient({ region });
    this.#stage = stage;
  }

  close(): void {
    this.#client.destroy();
  }

  /** Lists the stacks that exist, without those that are nested in others. */
  async list(): Promise<readonly Stack[]> {
    const stacks: Stack[] = [];
    for await (const { Stacks: page = [] } of paginateDescribeStacks({ client: this.#client }, {}))
      stacks.push(...page);
    return stacks.filter(
      ({ StackName: name = '', ParentId: parent, StackStatus: status }) =>
        isStackOf(this.#stage, name) && parent === undefined && status !== 'DELETE_COMPLETE',
    );
  }

  /** Lists what the template of a stack retains, those nested in it included. */
  async retained(stackName: string): Promise<readonly RetainedResource[]> {
    const { TemplateBody: text = '' } = await this.#client.send(
      new GetTemplateCommand({ StackName: stackName }),
    );
    const { Resources: resources } = template.parse(JSON.parse(text));
    const retained: RetainedResource[] = [];
    const pages = paginateListStackResources({ client: this.#client }, { StackName: stackName });
    for await (const { StackResourceSummaries: page = [] } of pages)
      for (const { LogicalResourceId = '', ResourceType: type = '', PhysicalResourceId: id = '' } of page) {
        const isRetained = resources[LogicalResourceId]?.DeletionPolicy?.startsWith('Retain') === true;
        // It has no id if its creation failed.
        if (isRetained && id !== '') retained.push({ type, id });
        if (type === 'AWS::CloudFormation::Stack' && id !== '') retained.push(...(await this.retained(id)));
      }
    return retained;
  }

  /** Waits until CloudFormation changes none of them: an earlier run may have been stopped while it did. */
  async settled(): Promise<readonly Stack[]> {
    const deadlineMs = Date.now() + MAX_WAIT_MS;
    for (;;) {
      const stacks = await this.list();
      const changing = stacks.filter(
        ({ StackStatus: status }) => status?.endsWith('_IN_PROGRESS') === true && status !== UNSTARTED,
      );
      if (changing.length === 0) return stacks;
      if (Date.now() > deadlineMs)
        throw new Error(`still changing: ${changing.map(({ StackName }) => StackName).join(', ')}`);
      await sleep(POLL_MS);
    }
  }

  /** Deletes the stacks whose first creation failed. They hold no data, and CloudFormation updates none of them. */
  async clearFailedCreations(): Promise<readonly string[]> {
    const failed = (await this.settled()).filter(({ StackStatus: status = '' }) =>
      ['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'CREATE_FAILED'].includes(status),
    );
    for (const stack of failed.toReversed()) await this.delete(stack);
    return failed.map(({ StackName: name = '' }) => name);
  }

  /** Deletes a stack, with its protection, and waits until it is gone. Throws CloudFormation's reason if it stays. */
  async delete({
    StackId: id,
    StackName: name = '',
    EnableTerminationProtection: isProtected,
  }: Stack): Promise<void> {
    if (isProtected === true)
      await this.#client.send(
        new UpdateTerminationProtectionCommand({ StackName: name, EnableTerminationProtection: false }),
      );
    await this.#client.send(new DeleteStackCommand({ StackName: id }));
    const left = (await this.settled()).find(({ StackId }) => StackId === id);
    if (left !== undefined)
      throw new Error(`${name} is ${left.StackStatus}: ${left.StackStatusReason ?? 'see its events'}`);
  }
}

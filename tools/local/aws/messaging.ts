/** Queues, buses and one-time schedules of the assembly, kept in the state folder and answering AWS calls. */
import { join } from 'node:path';
import type { Assembly } from '../assembly/assembly.ts';
import { regionalArn } from '../assembly/identities.ts';
import { startDueTimer } from '../messaging/due-timer.ts';
import { EventBuses } from '../messaging/event-bus.ts';
import { type Poller, startPoller } from '../messaging/poller.ts';
import { Queues } from '../messaging/queues.ts';
import { Schedules } from '../messaging/schedules.ts';
import { type MessagingStore, openMessagingStore, type StoredSchedule } from '../messaging/store.ts';
import { authorizeRole } from './callers.ts';
import type { AwsServiceHandler } from './endpoint.ts';
import { createEventsService } from './events-service.ts';
import { createSchedulerService, SCHEDULER } from './scheduler-service.ts';
import { createSqsService } from './sqs-service.ts';

type DescribedApp = Pick<
  Assembly,
  'queues' | 'mappings' | 'buses' | 'eventRules' | 'scheduleGroups' | 'roles' | 'functions'
>;

export interface MessagingOptions {
  readonly assembly: DescribedApp;
  /** The folder for the state of queues and schedules. */
  readonly stateDir: string;
  readonly enforceIam: boolean;
  /** Replaces the visibility of every queue, for tests that wait for it. */
  readonly visibilityMs?: number | undefined;
  readonly log: (line: string) => void;
}

type Invoke = (functionArn: string, event: unknown) => Promise<unknown>;

/** A schedule that calls an API (EventBridge Scheduler user guide, universal targets). */
const SEND_MESSAGE = 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage';

export class MessagingServices {
  readonly queues: Queues;
  readonly buses: EventBuses;
  /** The services, by their names at the AWS endpoint. */
  readonly services: Readonly<Record<string, AwsServiceHandler>>;
  readonly #options: MessagingOptions;
  readonly #store: MessagingStore;
  readonly #schedules: Schedules;
  #stops: readonly (() => void)[] = [];
  #invoke: Invoke | undefined;

  constructor(options: MessagingOptions) {
    const { assembly, stateDir, visibilityMs, log } = options;
    this.#options = options;
    this.#store = openMessagingStore(join(stateDir, 'messaging.sqlite'));
    const clock = () => Date.now();
    const store = this.#store;
    const descriptions = assembly.queues.map((queue) => ({
      ...queue,
      visibilityMs: visibilityMs ?? queue.visibilityMs,
    }));
    this.queues = new Queues({ descriptions, store, clock });
    const { buses, eventRules: rules, scheduleGroups: groups } = assembly;
    this.#schedules = new Schedules({ groups, store, clock, fire: (schedule) => this.#fire(schedule), log });
    const invoke = (arn: string, event: unknown) => void this.#invokeAsync(arn, event);
    this.buses = new EventBuses({ buses, rules, queues: this.queues, clock, invoke });
    this.services = {
      AmazonSQS: createSqsService(this.queues),
      AWSEvents: createEventsService(this.buses),
      scheduler: createSchedulerService(this.#schedules),
    };
  }

  /** Starts to fire schedules and to deliver messages to functions. */
  start(invoke: Invoke): void {
    this.#invoke = invoke;
    const { log, assembly } = this.#options;
    const pollers = assembly.mappings.map((mapping): Poller => {
      const described = assembly.functions.find(({ name }) => name === mapping.functionName);
      if (described === undefined) throw new Error(`no stack defines the function ${mapping.functionName}`);
      const authorize = authorizeRole(this.#options, described.roleArn, described.name, {
        service: 'lambda.amazonaws.com',
        sourceArn: described.arn,
      });
      for (const action of ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'])
        authorize(`sqs:${action}`, mapping.queueArn);
      const queue = this.queues.byArn(mapping.queueArn);
      return startPoller({ mapping, queue, invoke: (event) => invoke(described.arn, event), log });
    });
    const timer = startDueTimer({
      next: () => this.#schedules.nextMs,
      run: () => this.#schedules.fireDue(),
    });
    this.#schedules.onChange = timer.touch;
    this.#stops = [timer.stop, ...pollers.map(({ stop }) => stop)];
  }

  /** Stops both; calls are still answered. */
  stop(): void {
    this.#invoke = undefined;
    for (const stop of this.#stops) stop();
    this.#stops = [];
  }

  close(): void {
    this.stop();
    this.#store.close();
  }

  /** Lambda repeats an asynchronous invocation that fails twice (developer guide, asynchronous invocation). */
  async #invokeAsync(functionArn: string, event: unknown): Promise<void> {
    for (let attempts = 1; attempts <= 3; attempts += 1) {
      try {
        await this.#invoke?.(functionArn, event);
        return;
      } catch (failure) {
        this.#options.log(`${functionArn} failed at an event: ${String(failure)}`);
      }
    }
  }

  #fire({ targetArn, roleArn, input, name, groupName }: StoredSchedule): void {
    if (targetArn !== SEND_MESSAGE)
      throw new Error(`the local runtime does not know the target ${targetArn}`);
    const request = JSON.parse(input) as { QueueUrl: string; MessageBody: string; MessageGroupId?: string };
    const queue = this.queues.byUrl(request.QueueUrl);
    if (queue === undefined) throw new Error(`there is no queue ${request.QueueUrl}`);
    const principal = {
      service: SCHEDULER,
      sourceArn: regionalArn('scheduler', `schedule-group/${groupName}`),
    };
    authorizeRole(this.#options, roleArn, name, principal)('sqs:SendMessage', queue.description.arn);
    queue.send([{ body: request.MessageBody, groupId: request.MessageGroupId }]);
  }
}

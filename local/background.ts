/** What happens without a caller: schedules that fire functions and workflows, each in the role the template gives it. */
import { randomUUID } from 'node:crypto';
import type { Assembly } from './assembly/assembly.ts';
import { regionalArn } from './assembly/identities.ts';
import type { ScheduleTarget } from './assembly/schedules.ts';
import { ADMINISTRATOR_ACCESS_KEY_ID, authorizeAs } from './aws/callers.ts';
import type { FunctionFleet } from './functions/function-fleet.ts';
import { WorkflowFleet } from './functions/workflow-fleet.ts';
import { startScheduler } from './messaging/scheduler.ts';

export interface Background {
  /** Runs a state machine to its end, in its own role. */
  runWorkflow(arn: string, input: unknown): Promise<unknown>;
  stop(): void;
}

export interface BackgroundOptions {
  readonly assembly: Assembly;
  readonly functions: FunctionFleet;
  /** Answers the calls of service integrations. */
  readonly awsEndpoint: string;
  readonly enforceIam: boolean;
  readonly log: (line: string) => void;
}

export function startBackground(options: BackgroundOptions): Background {
  const { assembly, functions, awsEndpoint, enforceIam, log } = options;
  /** Throws when the role may not do it. */
  function authorize(
    roleArn: string | undefined,
    session: string,
    action: string,
    resourceArn: string,
  ): void {
    if (!enforceIam || roleArn === undefined) return;
    const role = assembly.roles.find(({ arn }) => arn === roleArn);
    if (role === undefined) throw new Error(`no stack defines the role ${roleArn}`);
    authorizeAs(role, session, log)(action, resourceArn);
  }

  const workflows = new WorkflowFleet({
    workflows: assembly.workflows,
    async invoke({ name, roleArn }, functionArn, input) {
      authorize(roleArn, name, 'lambda:InvokeFunction', functionArn);
      return invokeBuffered(functions, functionArn, JSON.stringify(input));
    },
    integrations: {
      [SEND_MESSAGE]: async ({ name, roleArn }, parameters) => {
        const message = parameters as SendMessageParameters;
        authorize(roleArn, name, 'sqs:SendMessage', queueArn(message.QueueUrl));
        return sendMessage(awsEndpoint, message);
      },
    },
  });

  async function deliver({ arn, roleArn }: ScheduleTarget, event: string): Promise<void> {
    if (!workflows.has(arn)) {
      await invokeBuffered(functions, arn, event);
      return;
    }
    authorize(roleArn, 'events', 'states:StartExecution', arn);
    await workflows.run(arn, JSON.parse(event));
  }

  const stop = startScheduler({ schedules: assembly.schedules, deliver, log });
  return { runWorkflow: (arn, input) => workflows.run(arn, input), stop };
}

/** Step Functions developer guide, "Send messages to an Amazon SQS queue". */
const SEND_MESSAGE = 'arn:aws:states:::sqs:sendMessage';

interface SendMessageParameters {
  readonly QueueUrl: string;
  readonly MessageBody: unknown;
}

const queueArn = (url: string) => regionalArn('sqs', url.slice(url.lastIndexOf('/') + 1));

/** In SQS's JSON protocol; the integration writes a body that is no text as JSON. Throws when the service refuses. */
async function sendMessage(endpoint: string, message: SendMessageParameters): Promise<unknown> {
  const { QueueUrl, MessageBody: body } = message;
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'AmazonSQS.SendMessage',
      authorization: `AWS4-HMAC-SHA256 Credential=${ADMINISTRATOR_ACCESS_KEY_ID}/local`,
    },
    body: JSON.stringify({
      QueueUrl,
      MessageBody: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`SQS refused a message: ${text}`);
  return JSON.parse(text);
}

/** Invokes a buffered function and resolves with its result. */
export async function invokeBuffered(functions: FunctionFleet, arn: string, event: string): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of await functions.invoke(arn, Buffer.from(event), randomUUID())) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? null : JSON.parse(text);
}

/** EventBridge Scheduler, as far as functions use it: one-time schedules. Source: EventBridge Scheduler API reference. */
import { regionalArn } from '../assembly/identities.ts';
import type { Schedules } from '../messaging/schedules.ts';
import type { StoredSchedule } from '../messaging/store.ts';
import type { AwsServiceHandler } from './endpoint.ts';
import { AwsError, parseBody, unknownCall } from './errors.ts';

interface CreateScheduleRequest {
  readonly GroupName?: string;
  readonly ScheduleExpression?: string;
  readonly ActionAfterCompletion?: string;
  readonly FlexibleTimeWindow?: { readonly Mode?: string };
  readonly Target?: { readonly Arn?: string; readonly RoleArn?: string; readonly Input?: string };
}

/** The service's principal. */
export const SCHEDULER = 'scheduler.amazonaws.com';

const invalid = (message: string) => new AwsError('ValidationException', message);

export function createSchedulerService(schedules: Schedules): AwsServiceHandler {
  return async ({ method, path, body, authorize }) => {
    const name = /^\/schedules\/([\w.-]{1,64})$/.exec(path)?.[1];
    if (method !== 'POST' || name === undefined) throw unknownCall(`Scheduler call ${method} ${path}`);
    const schedule = read(name, body);
    const arn = regionalArn('scheduler', `schedule/${schedule.groupName}/${name}`);
    authorize('scheduler:CreateSchedule', arn);
    authorize('iam:PassRole', schedule.roleArn, { 'iam:PassedToService': SCHEDULER });
    if (!schedules.hasGroup(schedule.groupName))
      throw new AwsError(
        'ResourceNotFoundException',
        `Schedule group ${schedule.groupName} does not exist.`,
        404,
      );
    if (schedules.has(schedule.groupName, name))
      throw new AwsError('ConflictException', `Schedule ${name} already exists.`, 409);
    schedules.add(schedule);
    return { ScheduleArn: arn };
  };
}

function read(name: string, body: Buffer): StoredSchedule {
  const request = parseBody<CreateScheduleRequest>(body);
  const { GroupName: groupName = 'default', Target: target, ScheduleExpression: expression = '' } = request;
  const at = /^at\((\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\)$/.exec(expression)?.[1];
  if (at === undefined) throw invalid(`the local runtime runs one-time schedules only, not ${expression}`);
  if (request.ActionAfterCompletion !== 'DELETE')
    throw invalid('the local runtime runs schedules that are deleted after completion only');
  if (request.FlexibleTimeWindow?.Mode !== 'OFF')
    throw invalid('the local runtime knows no flexible time window');
  const { Arn: targetArn, RoleArn: roleArn, Input: input } = target ?? {};
  if (targetArn === undefined || roleArn === undefined || input === undefined)
    throw invalid('a target needs an ARN, a role and an input');
  return { groupName, name, dueMs: Date.parse(`${at}Z`), targetArn, roleArn, input };
}

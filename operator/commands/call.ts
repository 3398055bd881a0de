/** `call find`: the log lines of a call by its request id, which contains its time, so that minutes of the log are read. */
import { decodeTime } from 'ulid';
import { createDynamoClients } from '../../lambdas/platform/aws/clients.ts';
import { type CallLog, createCallLog, type LogSpan } from '../calls/call-log.ts';
import { type Command, type CommandOutput, options } from './arguments.ts';

/** Ids of this service, of Lambda and of API Gateway, whose extended id is base64. They are inserted into the query. */
const ID = /^[\w=/+-]{1,128}$/;

const OWN_ID = /^req_([0-9A-HJKMNP-TV-Z]{26})$/;

/** A call takes 15 minutes at most, and its line may arrive a little later. */
const CALL_SECONDS = 20 * 60;
const HOUR_SECONDS = 3_600;

/** Returns the time of a call by its id, or else the last hours. */
function spanOf(id: string, hours: number, nowMs: number): LogSpan {
  const [, ulid] = OWN_ID.exec(id) ?? [];
  const now = Math.ceil(nowMs / 1000);
  if (ulid === undefined) return { startTime: now - hours * HOUR_SECONDS, endTime: now };
  const start = Math.floor(decodeTime(ulid) / 1000);
  return { startTime: start - 60, endTime: start + CALL_SECONDS };
}

export async function findCall(
  callLog: CallLog,
  args: readonly string[],
  stage: string,
): Promise<CommandOutput> {
  const { id, hours: count = '24' } = options(args, ['id'], ['hours']);
  const hours = Number(count);
  if (!ID.test(id)) throw new Error('--id must be a request id, as an error message ends with it');
  if (!Number.isInteger(hours) || hours < 1) throw new Error('--hours must be a whole number above 0');
  const lines = await callLog.find(stage, id, spanOf(id, hours, Date.now()));
  return {
    output: { id, lines },
    text:
      lines.length === 0
        ? `no line of the log has ${id}`
        : lines.map((line) => JSON.stringify(line)).join('\n'),
    exitCode: lines.length === 0 ? 1 : 0,
  };
}

async function findIn(stage: string, args: readonly string[]): Promise<CommandOutput> {
  const { client, onceClient } = createDynamoClients({});
  try {
    return await findCall(createCallLog(client), args, stage);
  } finally {
    for (const each of [client, onceClient]) each.destroy();
  }
}

export const CALL_COMMAND: Command = {
  usage: '--id ID [--hours N]',
  alone(args, stage) {
    if (stage !== undefined) return findIn(stage, args);
    const { id } = options(args, ['id'], ['hours']);
    const text = `the log of the local service is what "npm start" prints: search there for ${id}`;
    return { output: { id, log: 'the output of npm start' }, exitCode: 1, text };
  },
  async run() {
    throw new Error('the log is read without a service');
  },
};

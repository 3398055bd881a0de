/** The cost of the same calls on each setting of `compute`: the services that differ, and the break-even rate. */
import { HOST_TASK } from '../../../lib/config/host-size.ts';
import {
  bytesOf,
  type CostLine,
  costOf,
  line,
  type MonthlyTraffic,
  type ResourceUse,
  round,
  total,
} from './model.ts';
import { PRICES } from './prices.ts';

/** The number of tasks of a deployment that does not set `hostTasks`. */
const MIN_TASKS = 2;

/** Our line of the call, and its metrics with the margin; neither the platform nor a gateway writes one. */
const HOST_LOG_BYTES = 800;

/** Calls a second from which keys are taken to make five of them each. With fewer, a call costs as much as on a function. */
const STEADY_RATE = 5;

const GB = 1e9;
const HOUR = 3_600;

/** The part of a bill that goes out to callers, which is the same everywhere but for its price. */
export const DATA_OUT = 'Data out';

/** Tasks that run at a rate: as many as the open calls or the CPU of the calls need. */
export function tasksAt(callsPerSecond: number, traffic: MonthlyTraffic, measured: ResourceUse): number {
  const open = (callsPerSecond * traffic.seconds) / HOST_TASK.openCalls;
  const cpu =
    (100 * callsPerSecond * cpuSeconds(traffic, measured)) / (HOST_TASK.vcpu * HOST_TASK.cpuPercent);
  return Math.max(MIN_TASKS, Math.ceil(Math.max(open, cpu)));
}

const cpuSeconds = ({ tokens }: MonthlyTraffic, { hostCpuMs, chunkCpuMs }: ResourceUse): number =>
  (hostCpuMs + tokens * chunkCpuMs) / 1000;

/** The bill of calls on Fargate at a rate; the tasks run whether they are called or not. */
export function fargateCost(traffic: MonthlyTraffic, measured: ResourceUse): readonly CostLine[] {
  const { calls, callsPerSecond } = traffic;
  const hours = calls / callsPerSecond / HOUR;
  const tasks = tasksAt(callsPerSecond, traffic, measured);
  const balanced = (calls * (traffic.promptBytes + bytesOf(traffic))) / GB;
  return [
    line('Fargate', hours * tasks * taskHour(), `${tasks} tasks for ${round(hours)} hours`),
    line(
      'Load balancer',
      hours * PRICES.balancerHour.usd + balanced * PRICES.balancerUnit.usd,
      'its hours, and a unit for each GB',
    ),
    ...behindEdge(traffic, measured),
  ];
}

const taskHour = (): number =>
  HOST_TASK.vcpu * PRICES.taskVcpuHour.usd + HOST_TASK.gb * PRICES.taskGbHour.usd + PRICES.addressHour.usd;

/** Returns the cost of CloudFront, the table and the logs, which is the same for every host. */
function behindEdge(traffic: MonthlyTraffic, measured: ResourceUse): readonly CostLine[] {
  const { calls, callsPerSecond } = traffic;
  const writeUnits = callsPerSecond < STEADY_RATE ? measured.writeUnits : measured.leasedWriteUnits;
  const retained = costOf({ ...traffic, idempotent: 0 }, { ...measured, writeUnits }).filter(({ service }) =>
    ['DynamoDB', 'Prompts out', 'WAF', 'Usage records'].includes(service),
  );
  const toOrigin = (calls * traffic.promptBytes * PRICES.edgeOriginGb.usd) / GB;
  return [
    line(
      'CloudFront',
      calls * (PRICES.edgeRequest.usd + PRICES.edgeFunction.usd) + toOrigin,
      'a request and a run of its function a call',
    ),
    ...retained,
    line('CloudWatch Logs', (calls * HOST_LOG_BYTES * PRICES.logGb.usd) / GB, `${HOST_LOG_BYTES} B a call`),
    line(DATA_OUT, (calls * bytesOf(traffic) * PRICES.edgeTransferGb.usd) / GB, 'from CloudFront'),
  ];
}

/**
 * Calls a second at which Fargate's bill is Lambda's, data out apart; above it Fargate is cheaper. Nothing when it never
 * is. As long as the fewest tasks are enough, an hour of Fargate costs the same whatever comes.
 */
export function breakEven(traffic: MonthlyTraffic, measured: ResourceUse): number | undefined {
  const million = { ...traffic, calls: 1e6 };
  const lambda = apart(costOf(million, measured)).rest;
  const hour = MIN_TASKS * taskHour() + PRICES.balancerHour.usd;
  const { rest } = apart(fargateCost({ ...million, callsPerSecond: 1 }, measured));
  const perCalls = rest - (million.calls / HOUR) * hour;
  const rate = ((million.calls / HOUR) * hour) / (lambda - perCalls);
  return lambda > perCalls && tasksAt(rate, traffic, measured) === MIN_TASKS ? rate : undefined;
}

/** A bill without data out, and data out. */
export function apart(lines: readonly CostLine[]): { readonly rest: number; readonly dataOut: number } {
  const dataOut = total(lines.filter(({ service }) => service === DATA_OUT));
  return { rest: total(lines) - dataOut, dataOut };
}

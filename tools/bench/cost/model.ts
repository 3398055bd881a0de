/** The monthly cost of calls by service: measured counts times public prices. */
import { PRICES } from './prices.ts';

/** The resources that a call uses, as measured by the benches. */
export interface ResourceUse {
  readonly writeUnits: number;
  /** The write units of a call on a shared host, of keys that make five calls a second. */
  readonly leasedWriteUnits: number;
  readonly writeUnitsIdempotent: number;
  /** Main thread of the shared host, a streamed call of a few chunks. */
  readonly hostCpuMs: number;
  /** Each further chunk. */
  readonly chunkCpuMs: number;
}

/** A month's traffic. */
export interface MonthlyTraffic {
  readonly calls: number;
  /** From the request's arrival to the answer's end. */
  readonly seconds: number;
  /** Tokens of an answer, a chunk each. */
  readonly tokens: number;
  readonly memoryMb: number;
  /** Share of the calls that carry an Idempotency-Key, 0 to 1. */
  readonly idempotent: number;
  /** Even, day and night; of a host. */
  readonly callsPerSecond: number;
  /** Bytes of a prompt, which goes out to a provider outside AWS. */
  readonly promptBytes: number;
  /** Share of the calls whose key has a cap of money, 0 to 1. */
  readonly capped: number;
}

export interface CostLine {
  readonly service: string;
  readonly usd: number;
  /** The calculation of the amount. */
  readonly how: string;
}

/** The resources whose cost does not depend on the traffic, from the synthesized templates. */
export interface Fixtures {
  /** Metrics that alarms read. */
  readonly alarms: number;
  /** Alarms on other alarms. */
  readonly compositeAlarms: number;
  /** Those with more metrics than are free. */
  readonly dashboards: number;
  readonly secrets: number;
  /** Keys of AWS KMS that the stacks create. */
  readonly keys: number;
  /** Queues that Lambda polls for a function. */
  readonly queueMappings: number;
  /** Runs of schedules a month. */
  readonly scheduledRuns: number;
  /** Tasks that run without load, and the size of one. */
  readonly tasks: number;
  readonly taskVcpu: number;
  readonly taskGb: number;
  readonly balancers: number;
  /** Clusters with Container Insights. */
  readonly insightClusters: number;
  readonly webAcls: number;
  readonly webAclRules: number;
}

/**
 * The size of a chunk with one token as the chat surface writes it. It contains ids, the model and the fields that a
 * provider adds to five characters of text.
 */
export const CHUNK_BYTES = 270;

/** The size of the response headers as the deployed API sends them. */
const HEADER_BYTES = 700;

/** The size of a usage record: ids, names, counts, the line items of its bill and attribute names. */
const RECORD_BYTES = 530;

/** Lambda's three platform lines (about 300 B), our line of the call (200), its metrics with the margin (600), the access log (300). */
const LOG_BYTES = 1_400;

/** A streamed answer beyond this counts as a further request. */
const API_UNIT_BYTES = 10 * 1024 * 1024;

const GB = 1e9;

/** Returns the size of a response, including its headers. */
export const bytesOf = ({ tokens }: MonthlyTraffic): number => HEADER_BYTES + tokens * CHUNK_BYTES;

/**
 * A process of a function has one call at a time, longer than what it remembers of catalog and circuits lives: a look at the
 * catalog and, before and after the call, one at the route's two circuits, which read eventually consistent items of up to 4 KB, and
 * one at the maintenance switch, which is consistent.
 */
const READ_UNITS = 3.5;

/** A cap of a key takes one more write (`docs/decisions/2026-11-24-strict-caps.md`). */
const CAP_UNITS = 1;

export function costOf(traffic: MonthlyTraffic, measured: ResourceUse): readonly CostLine[] {
  const { calls, seconds, memoryMb, idempotent } = traffic;
  const bytes = bytesOf(traffic);
  const units =
    measured.writeUnits * (1 - idempotent) +
    measured.writeUnitsIdempotent * idempotent +
    CAP_UNITS * traffic.capped;
  const gbSeconds = calls * seconds * (memoryMb / 1024);
  const apiUnits = Math.max(1, Math.ceil(bytes / API_UNIT_BYTES));
  return [
    line(
      'Lambda',
      gbSeconds * PRICES.lambdaGbSecond.usd + calls * PRICES.lambdaRequest.usd,
      `${memoryMb} MB for ${seconds} s a call: paid for while the provider writes`,
    ),
    line('API Gateway', calls * apiUnits * PRICES.apiRequest.usd, 'one request a call'),
    line('DynamoDB', calls * units * PRICES.writeUnit.usd, `${round(units)} write units a call`),
    line(
      'DynamoDB, reads',
      calls * READ_UNITS * PRICES.readUnit.usd,
      `${READ_UNITS} units a call: a look at the catalog and the maintenance switch, two at two circuits; a host makes them every few seconds`,
    ),
    line('Data out', (calls * bytes * PRICES.transferGb.usd) / GB, `${round(bytes / 1000)} KB a call`),
    promptsOut(traffic),
    line('WAF', calls * PRICES.firewallRequest.usd, 'the limit of each address'),
    line('CloudWatch Logs', (calls * LOG_BYTES * PRICES.logGb.usd) / GB, `${LOG_BYTES} B a call`),
    line(
      'Usage records',
      (calls * RECORD_BYTES * PRICES.tableGbMonth.usd) / GB,
      'each month that they are kept',
    ),
  ];
}

/** Returns the cost of prompts to providers outside AWS, which go out to the internet from every compute. */
export const promptsOut = ({ calls, promptBytes }: MonthlyTraffic): CostLine =>
  line(
    'Prompts out',
    (calls * promptBytes * PRICES.transferGb.usd) / GB,
    `${round(promptBytes / 1000)} KB a call to a provider outside AWS; nothing to Bedrock in the region`,
  );

export const line = (service: string, usd: number, how: string): CostLine => ({ service, usd, how });

/** Returns the monthly cost of a deployment without calls. */
export function idleCost(fixtures: Fixtures): readonly CostLine[] {
  const { alarms, compositeAlarms, dashboards, secrets, webAcls, webAclRules } = fixtures;
  const polls = (fixtures.queueMappings * POLLERS * MONTH_SECONDS) / POLL_SECONDS;
  const hours = MONTH_SECONDS / 3_600;
  const taskHour =
    fixtures.taskVcpu * PRICES.taskVcpuHour.usd +
    fixtures.taskGb * PRICES.taskGbHour.usd +
    PRICES.addressHour.usd;
  const lines = [
    line(
      'WAF',
      webAcls * PRICES.firewallMonth.usd + webAclRules * PRICES.firewallRuleMonth.usd,
      `web ACLs: ${webAcls}, rules: ${webAclRules}`,
    ),
    line('Alarms', alarms * PRICES.alarmMonth.usd, `${alarms} metrics in alarms`),
    line(
      'Composite alarms',
      compositeAlarms * PRICES.compositeAlarmMonth.usd,
      `${compositeAlarms} on other alarms`,
    ),
    line('Dashboards', dashboards * PRICES.dashboardMonth.usd, `${dashboards} with more than 50 metrics`),
    line(
      'Metrics',
      SWEEP_METRICS * PRICES.metricMonth.usd,
      `${SWEEP_METRICS} of the sweep; others in the hours in which they are raised`,
    ),
    line('Secrets', secrets * PRICES.secretMonth.usd, `${secrets}, and one a provider`),
    line(
      'Queue polling',
      polls * PRICES.queueRequest.usd,
      `queues: ${fixtures.queueMappings}, each with ${POLLERS} requests of ${POLL_SECONDS} s at a time`,
    ),
    line(
      'Schedules',
      fixtures.scheduledRuns * (PRICES.lambdaRequest.usd + RUN_GB_SECONDS * PRICES.lambdaGbSecond.usd),
      `${fixtures.scheduledRuns.toLocaleString('en')} runs, about half a second of 512 MB each`,
    ),
    line('KMS keys', fixtures.keys * PRICES.keyMonth.usd, `${fixtures.keys} that the stacks create`),
    line('Fargate', fixtures.tasks * hours * taskHour, `${fixtures.tasks} tasks with an address each`),
    line(
      'Load balancers',
      fixtures.balancers * hours * PRICES.balancerHour.usd,
      `${fixtures.balancers} without load`,
    ),
    line(
      'Container Insights',
      fixtures.insightClusters * INSIGHT_METRICS * PRICES.metricMonth.usd,
      `about ${INSIGHT_METRICS} metrics of a cluster and its service`,
    ),
  ];
  return lines.filter(({ usd }) => usd > 0);
}

/** Raised by every sweep of holds, so in every hour (`lambdas/ledger/consumers/sweep-holds`). */
const SWEEP_METRICS = 1;

/**
 * The requests that Lambda has open at a queue without messages (Lambda developer guide, Configuring scaling behavior for SQS event
 * source mappings): it reduces them to two, but not where `MaximumConcurrency` is set, which protects the receivers here.
 */
const POLLERS = 5;
const POLL_SECONDS = 20;

/** A run without work reads a few empty partitions: an assumption, not a measurement on AWS. */
const RUN_GB_SECONDS = 0.25;

const MONTH_SECONDS = 30 * 24 * 3_600;

/** Metrics of a cluster and a service (ECS developer guide, Container Insights metrics). */
const INSIGHT_METRICS = 20;

/** Metrics of a route in the hours in which it is called: calls and tokens; cost, margin and failures as they occur. */
export const ROUTE_METRICS = { least: 4, most: 9 } as const;

export const total = (lines: readonly CostLine[]): number => lines.reduce((sum, { usd }) => sum + usd, 0);

export const round = (value: number): number => Math.round(value * 10) / 10;

/** One of the two stateless halves of the service: a REST API and a function for each of its routes. */
import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Schedule } from 'aws-cdk-lib/aws-events';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { type EndpointName, ROUTES, UNKNOWN_ROUTE_ENDPOINT } from '../../lambdas/app/routes.ts';
import { CONSUMERS } from '../../lambdas/platform/contract/consumers.ts';
import { STREAM_TIMEOUT_SECONDS } from '../../lambdas/platform/contract/environment.ts';
import type { Route } from '../../lambdas/platform/contract/route.ts';
import type { Config } from '../config/config.ts';
import { ApiPart } from '../constructs/api/api-part.ts';
import { EndpointApi } from '../constructs/api/endpoint-api.ts';
import { runOnSchedule } from '../constructs/consumer-function.ts';
import { IpRateLimit } from '../constructs/edge/ip-rate-limit.ts';
import { LedgerMaintenance } from '../constructs/ledger-maintenance.ts';
import { Market } from '../constructs/market.ts';
import { Messaging } from '../constructs/messaging.ts';
import { ServiceFunction } from '../constructs/service-function.ts';
import type { StoredData } from '../constructs/stored-data.ts';
import { followTable } from '../constructs/table-follower.ts';
import { TranscriptionSettlement } from '../constructs/transcription-settlement.ts';
import { WebhookDelivery } from '../constructs/webhook-delivery.ts';
import { saveQueries } from '../observability/saved-queries.ts';

/** API Gateway times out a buffered integration after 29 s; the function ends first, in order to respond. */
const BUFFERED_TIMEOUT_SECONDS = 28;

/** Calls of the same moment are exported together; a receiver of telemetry collects for as long itself. */
const TELEMETRY_WINDOW = Duration.seconds(10);

export interface ServiceStackProps extends StackProps {
  readonly api: Route['api'];
  readonly config: Config;
  readonly data: StoredData;
  /** The folder with a folder for each function. */
  readonly bundles: string;
  /** One limit for both APIs, so that an address has one budget; the first stack makes it. */
  readonly ipRateLimit?: IpRateLimit;
}

/** The context with the most paths, which no other context shares. */
const isOfMarket = (route: Route): boolean => route.setting === 'market';

/** Returns the page to which a payer returns: the specified one, else the console at the first name that serves it. */
function paymentReturnUrl(
  { paymentReturnUrl: url, edgeDomain, domains, stage }: Config,
  api: EndpointApi,
): string {
  const name = edgeDomain?.name ?? domains?.platform ?? `${api.hostname}/${stage}`;
  return url ?? `https://${name}/console`;
}

export class ServiceStack extends Stack {
  readonly ipRateLimit: IpRateLimit;
  readonly api: EndpointApi;
  /** The functions of the routes, by endpoint. */
  readonly functions: ReadonlyMap<EndpointName, ServiceFunction>;
  /** The workflow that settles transcriptions, in the stack of the inference API. */
  readonly settlements: StateMachine | undefined;

  constructor(scope: Construct, id: string, props: ServiceStackProps) {
    super(scope, id, props);
    const { data, bundles } = props;
    let { config } = props;
    this.settlements =
      props.api === 'inference'
        ? new TranscriptionSettlement(this, 'TranscriptionSettlement', { config, data, bundles }).workflow
        : undefined;
    const messaging = props.api === 'platform' ? new Messaging(this, 'Messaging', { config }) : undefined;
    const makeFunction = (endpoint: EndpointName, response: Route['response'], scope: Construct = this) =>
      new ServiceFunction(scope, endpoint, {
        name: endpoint,
        timeoutSeconds: response === 'streamed' ? STREAM_TIMEOUT_SECONDS : BUFFERED_TIMEOUT_SECONDS,
        config,
        data,
        bundles,
        settlements: this.settlements,
        messaging,
      });

    const routes = (ROUTES as readonly (Route & { readonly endpoint: EndpointName })[]).filter(
      (candidate) => candidate.api === props.api && (config.market || !isOfMarket(candidate)),
    );
    const fallback = makeFunction(UNKNOWN_ROUTE_ENDPOINT, 'buffered').function;
    this.api = new EndpointApi(this, 'Api', {
      config,
      name: `${config.stage}-${props.api}`,
      domainName: config.domains?.[props.api],
      fallback,
      routes,
    });
    if (props.api === 'platform')
      config = { ...config, paymentReturnUrl: paymentReturnUrl(config, this.api) };
    const others = routes.filter((route) => !isOfMarket(route));
    const market =
      others.length < routes.length
        ? new ApiPart(this, 'MarketPaths', { api: this.api, fallback, others })
        : undefined;
    const functions = new Map<EndpointName, ServiceFunction>();
    for (const route of routes) {
      const part = isOfMarket(route) ? market : undefined;
      const target = functions.get(route.endpoint) ?? makeFunction(route.endpoint, route.response, part);
      functions.set(route.endpoint, target);
      if (part === undefined) this.api.addRoute(route, target.function);
      else part.addRoute(route, target.function);
    }
    this.functions = functions;
    if (props.api === 'inference') this.#addSchedules(props);
    if (messaging !== undefined) {
      new WebhookDelivery(this, 'WebhookDelivery', { config, data, bundles, messaging });
      followTable(
        new Construct(this, 'Telemetry'),
        { name: 'export-calls', window: TELEMETRY_WINDOW },
        { config, data, bundles, messaging },
      );
      if (config.market) new Market(this, 'Market', { config, data, bundles, messaging });
      runOnSchedule(
        new Construct(this, 'PaymentReconciliation'),
        {
          name: 'reconcile-payments',
          schedule: Schedule.expression(CONSUMERS['reconcile-payments'].schedule),
        },
        { config, data, bundles },
      );
    }
    this.ipRateLimit = props.ipRateLimit ?? new IpRateLimit(this, 'IpRateLimit', { config });
    this.ipRateLimit.protect(this, this.api.stage.stageArn);
    this.#saveQueries(props);
  }

  /** Adds what runs on a schedule for the inference API. */
  #addSchedules({ config, data, bundles }: ServiceStackProps): void {
    new LedgerMaintenance(this, 'LedgerUpkeep', { config, data, bundles });
    runOnSchedule(
      new Construct(this, 'PriceWatch'),
      { name: 'watch-prices', schedule: Schedule.expression(CONSUMERS['watch-prices'].schedule) },
      { config, data, bundles },
    );
    if (config.transcribe)
      runOnSchedule(
        new Construct(this, 'RecordingSweep'),
        { name: 'sweep-recordings', schedule: Schedule.expression(CONSUMERS['sweep-recordings'].schedule) },
        { config, data, bundles },
      );
    if (config.smoke !== undefined) {
      const smoke = runOnSchedule(
        new Construct(this, 'ScheduledSmoke'),
        { name: 'run-smoke', schedule: Schedule.rate(Duration.minutes(config.smoke.everyMinutes)) },
        { config, data, bundles },
      );
      // The alarm counts failed runs, and Lambda would repeat each twice.
      smoke.configureAsyncInvoke({ retryAttempts: 0 });
    }
  }

  #saveQueries({ api, config, ipRateLimit }: ServiceStackProps): void {
    const functions = this.node
      .findAll()
      .filter((construct) => construct instanceof ServiceFunction)
      .map(({ hosting }) => hosting.logGroup);
    saveQueries(this, {
      folder: `${config.stage}/${api}`,
      groups: {
        access: [this.api.accessLogs],
        functions,
        calls: api === 'inference' ? functions : [],
        // Saved by the stack that has the limit.
        firewall: ipRateLimit === undefined ? [this.ipRateLimit.refusals] : [],
      },
    });
  }
}

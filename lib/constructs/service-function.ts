/** One Lambda function with a role of its own that reaches exactly what `grants.ts` lists. */
import { join } from 'node:path';
import { ArnFormat, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { VARIABLES } from '../../lambdas/contract/environment.ts';
import { SERVICE_NAME } from '../../lambdas/contract/limits.ts';
import { TABLES, type TableName } from '../../lambdas/contract/tables.ts';
import type { Config } from '../config/config.ts';
import { type FunctionName, GRANTS } from '../config/grants.ts';
import type { DataStack } from '../stacks/data-stack.ts';

/** Memory sets Lambda's share of a CPU; the cost model compares sizes, this is the design's default. */
const MEMORY_MB = 512;

export interface ServiceFunctionProps {
  /** The folder in `lambdas/endpoints/` or `lambdas/consumers/`. */
  readonly name: FunctionName;
  readonly timeoutSeconds: number;
  readonly config: Config;
  readonly data: DataStack;
  readonly bundles: string;
  /** For functions that settle by a workflow. */
  readonly settlements?: StateMachine;
}

/** What a function acts in, knows and writes its logs to. */
export interface FunctionHosting {
  readonly role: Role;
  readonly environment: Readonly<Record<string, string>>;
  readonly logGroup: LogGroup;
}

export class ServiceFunction extends Construct {
  readonly function: LambdaFunction;
  /** For another host of the same endpoint. */
  readonly hosting: FunctionHosting;
  readonly #role: Role;
  readonly #props: ServiceFunctionProps;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    this.#props = props;
    const logGroup = new LogGroup(this, 'Logs', {
      retention: props.config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.#role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.#allow(['logs:CreateLogStream', 'logs:PutLogEvents'], logGroup.logGroupArn);
    const environment = { POWERTOOLS_SERVICE_NAME: props.name, ...this.#grant() };
    this.hosting = { role: this.#role, environment, logGroup };
    this.function = new LambdaFunction(this, 'Function', {
      description: `${SERVICE_NAME}: ${props.name}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: MEMORY_MB,
      timeout: Duration.seconds(props.timeoutSeconds),
      handler: 'index.handler',
      code: Code.fromAsset(join(props.bundles, props.name), { exclude: ['*.map'] }),
      role: this.#role,
      logGroup,
      environment,
    });
  }

  #grant(): Record<string, string> {
    const { name: functionName, config, data } = this.#props;
    const grants = GRANTS[functionName];
    const environment: Record<string, string> = {};
    for (const [name, actions] of Object.entries(grants.tables ?? {})) {
      const table = data.tables[name as TableName];
      if (actions.length > 0)
        this.#allow(
          actions.map((action) => `dynamodb:${action}`),
          table.tableArn,
        );
      environment[TABLES[name as TableName].variable] = table.tableName;
    }
    for (const index of grants.indexes ?? []) {
      this.#allow(['dynamodb:Query'], `${data.tables[index.table].tableArn}/index/${index.name}`);
    }
    if (grants.keyPepper) {
      this.#allow(['secretsmanager:GetSecretValue'], data.keyPepper.secretArn);
      environment[VARIABLES.keyPepperSecret] = data.keyPepper.secretArn;
    }
    if (grants.providerSecrets) this.#grantProviderSecrets();
    if (grants.bedrockModels) this.#grantBedrockModels();
    if (grants.settlements) this.#grantSettlements(environment);
    if (grants.holds) environment[VARIABLES.holdTtlSeconds] = String(config.holdTtlSeconds);
    return environment;
  }

  #grantSettlements(environment: Record<string, string>): void {
    const { name, settlements } = this.#props;
    if (settlements === undefined) throw new Error(`${name} needs the workflow that settles transcriptions`);
    this.#allow(['states:StartExecution'], settlements.stateMachineArn);
    environment[VARIABLES.settlementWorkflow] = settlements.stateMachineArn;
  }

  #grantProviderSecrets(): void {
    const resource = Stack.of(this).formatArn({
      service: 'secretsmanager',
      resource: 'secret',
      resourceName: `${this.#props.config.stage}/providers/*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    this.#allow(['secretsmanager:GetSecretValue'], resource);
    const account = 'arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>';
    Validations.of(this.#role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${account}:secret:${this.#props.config.stage}/providers/*]`,
      reason: 'The catalog names provider secrets at run time; the prefix confines them to this deployment.',
    });
  }

  /** A cross-region inference profile is of this account; its models are of every region that it reaches. */
  #grantBedrockModels(): void {
    const { partition, account } = Stack.of(this);
    const actions = ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'];
    this.#allow(actions, `arn:${partition}:bedrock:*::foundation-model/*`);
    this.#allow(actions, `arn:${partition}:bedrock:*:${account}:inference-profile/*`);
    for (const resource of [':foundation-model/*', '<AWS::AccountId>:inference-profile/*']) {
      Validations.of(this.#role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:bedrock:*:${resource}]`,
        reason:
          'The catalog names models and regions at run time; the role may call models and nothing else there.',
      });
    }
  }

  #allow(actions: string[], resource: string): void {
    this.#role.addToPolicy(new PolicyStatement({ actions, resources: [resource] }));
  }
}

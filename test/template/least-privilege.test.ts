import { describe, expect, it } from '@jest/globals';
import type { Grants } from '../../lambdas/platform/contract/grants.ts';
import { TABLES } from '../../lambdas/platform/contract/tables.ts';
import { GRANTS } from '../../lib/config/grants.ts';
import type { PolicyStatement } from '../../tools/local/assembly/roles.ts';
import { compilePolicy } from '../../tools/local/aws/iam/policy.ts';
import { bundlesMetafile } from './bundles.ts';
import { FUNCTIONS } from './functions.ts';
import { permissionsOf, policiesOf, resourceName, type Statement } from './permissions.ts';
import { joined, STACK_NAMES, type StackName, SynthesizedApp } from './synthesized-app.ts';

/** With the one setting that adds a role of a service to what every deployment has. */
const app = new SynthesizedApp('builds');

/** Every wildcard that a role may have, and why it needs it. Anything else is a mistake. */
const JUSTIFIED: readonly { readonly permission: RegExp; readonly reason: string }[] = [
  {
    permission: /^secretsmanager:GetSecretValue .*:secret:prod\/providers\/\*$/,
    reason:
      'the catalog names provider secrets at run time; `providerSecrets` in the settings lists them instead',
  },
  {
    permission: /^bedrock:InvokeModel(WithResponseStream)? .*:(foundation-model|inference-profile)\/\*$/,
    reason: 'the catalog names models and regions at run time',
  },
  {
    permission: /^bedrock:ApplyGuardrail .*:guardrail(-profile)?\/\*$/,
    reason: 'the catalog names guardrails and regions at run time',
  },
  {
    permission:
      /^(bedrock-mantle:CreateInference .*:project|aws-external-anthropic:CreateInference .*:workspace)\/\*$/,
    reason: 'the catalog names regions and workspaces at run time',
  },
  {
    permission: /^scheduler:CreateSchedule .*:schedule\/prod-deliveries\/\*$/,
    reason: 'each attempt that waits has a schedule of its own, named at run time',
  },
  {
    permission: /^logs:((Create|Get|Update|Delete)LogDelivery|ListLogDeliveries) \*$/,
    reason: 'AWS takes no resource for the delivery of a workflow’s log',
  },
  {
    permission: /^logs:(PutResourcePolicy|DescribeResourcePolicies|DescribeLogGroups) \*$/,
    reason: 'AWS takes no resource for the delivery of a workflow’s log',
  },
  {
    permission: /^s3:(Put|Get|Delete)Object(Version)? .*\/(uploads|artifacts)\/\*$/,
    reason: 'each object is named after its build at run time; the prefix confines it',
  },
  {
    permission:
      /^events:((Put|Delete|Describe)Rule|(Put|Remove)Targets|ListTargetsByRule) .*:rule\/DO-NOT-DELETE-AmazonGuardDutyMalwareProtectionS3\*$/,
    reason: 'GuardDuty names the rule by which it learns of uploads itself',
  },
  {
    permission: /^(s3:\w+ .*-rec-[^/]*\/\*|transcribe:\w+ .*-rec-[^/]*\.\*)$/,
    reason: 'each object and each job is named after its call at run time; the bucket confines them',
  },
  {
    permission: /^transcribe:(StartTranscriptionJob|ListTranscriptionJobs) \*$/,
    reason: 'AWS takes no resource for them',
  },
  {
    permission: /^guardduty:SendObjectMalwareScan \*$/,
    reason: 'AWS takes no resource for it',
  },
  {
    permission: /^polly:SynthesizeSpeech \*$/,
    reason: 'AWS takes no resource for it without a lexicon',
  },
  {
    permission: /^dynamodb:ListStreams \*$/,
    reason: 'AWS takes no resource for it, and asks it of the reader of a stream',
  },
  {
    permission: /^xray:(PutTraceSegments|PutTelemetryRecords|GetSamplingRules|GetSamplingTargets) \*$/,
    reason: 'AWS takes no resource for traces',
  },
];

/** `stack role: action resource` for each grant of each role of each stack. */
const grants = STACK_NAMES.flatMap((stack) =>
  app
    .resources(stack, 'AWS::IAM::Role')
    .flatMap(([id]) => permissionsOf(app, stack, id).map((permission) => ({ stack, id, permission }))),
);

/** AWS's own policies that a role has taken as a whole. */
const managed = STACK_NAMES.flatMap((stack) =>
  app.resources(stack, 'AWS::IAM::Role').flatMap(([id, { Properties }]) =>
    ((Properties.ManagedPolicyArns as unknown[] | undefined) ?? []).map((arn) => ({
      stack,
      id,
      arn: joined(arn),
    })),
  ),
);

const wild = ({ permission }: { readonly permission: string }) => /[*?]/.test(permission);

describe('a role of the deployment', () => {
  it('uses a wildcard only with a justification', () => {
    expect(grants.length).toBeGreaterThan(60);
    const unjustified = grants
      .filter(wild)
      .filter(({ permission }) => !JUSTIFIED.some((entry) => entry.permission.test(permission)));
    expect(unjustified).toEqual([]);
  });

  it('never has an action with a wildcard, whatever it is granted on', () => {
    expect(grants.filter(({ permission }) => (permission.split(' ')[0] ?? '*').includes('*'))).toEqual([]);
  });

  it('cannot administer tables and secrets, assume other roles, or pass a role through a wildcard', () => {
    const administration =
      /^(iam|sts|kms|cloudformation):|^dynamodb:(Create|Delete|Update|Restore|Export|Import)(Table|Backup|TimeToLive|ContinuousBackups)|^secretsmanager:(?!GetSecretValue)/;
    const passed = grants.filter(({ permission }) => administration.test(permission));
    // A schedule that a function makes acts in a role of its own, which the function must be allowed to hand over.
    expect(passed.filter(({ permission }) => !permission.startsWith('iam:PassRole '))).toEqual([]);
    expect(passed.filter(wild)).toEqual([]);
  });

  it('uses no AWS managed policy except the gateway’s, for logs', () => {
    const policies = managed.map(({ arn }) => arn.replace(/^.*policy\//, ''));
    expect(new Set(policies)).toEqual(new Set(['service-role/AmazonAPIGatewayPushToCloudWatchLogs']));
  });

  it('trusts one AWS service and no other principal', () => {
    for (const stack of STACK_NAMES) {
      for (const [id, { Properties }] of app.resources(stack, 'AWS::IAM::Role')) {
        const { Statement: statements } = Properties.AssumeRolePolicyDocument as { Statement: object[] };
        const principals = statements.map((statement) => (statement as { Principal: object }).Principal);
        expect([id, principals]).toEqual([
          id,
          [
            {
              Service: expect.stringMatching(/^([a-z]+|malware-protection-plan\.guardduty)\.amazonaws\.com$/),
            },
          ],
        ]);
      }
    }
  });
});

/** A transaction acts in each of these ways. */
const IN_TRANSACTIONS: ReadonlySet<string> = new Set([
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'ConditionCheckItem',
]);

/** The statements of a policy about DynamoDB, with readable names in place of references. */
const statementsOn = (standing: SynthesizedApp, stack: StackName, statements: readonly Statement[]) =>
  statements
    .filter(({ Action }) => [Action].flat().every((action) => action.startsWith('dynamodb:')))
    .map(({ Resource, ...statement }) => ({
      ...(statement as Pick<PolicyStatement, 'Effect' | 'Action' | 'Condition'>),
      Resource: [Resource].flat().map((resource) => resourceName(standing, stack, resource)),
    }));

describe.each(['standard', 'fargate'] as const)('a role of the deployment as %s', (name) => {
  const deployed = new SynthesizedApp(name);
  const ACCOUNTS = 'data:Accounts.Arn';
  const mark = { 'dynamodb:Attributes': ['account_id', TABLES.accounts.operatorsAttribute] };
  const writers = ([...STACK_NAMES, 'ingress'] as const).flatMap((stack) =>
    policiesOf(deployed, stack).flatMap(([, statements]) => {
      const readable = statementsOn(deployed, stack, statements);
      return ['PutItem', 'UpdateItem'].flatMap((action) => {
        const call = `dynamodb:${action}`;
        const isAllowed = compilePolicy(readable)(call, ACCOUNTS) === 'allowed';
        return isAllowed ? [{ call, readable }] : [];
      });
    }),
  );

  it('writes accounts, but never the mark that makes one an operator’s', () => {
    expect(writers.length).toBeGreaterThan(8);
    for (const { call, readable } of writers) {
      expect(compilePolicy(readable)(call, ACCOUNTS, mark)).toBe('explicitly denied');
      const allowing = readable.filter(({ Effect: effect }) => effect === 'Allow');
      expect(compilePolicy(allowing)(call, ACCOUNTS, mark)).toBe('allowed');
    }
  });
});

describe('a function', () => {
  const { outputs } = bundlesMetafile();
  const commandsOf = (name: string): readonly string[] =>
    Object.entries(outputs)
      .filter(([path]) => path.endsWith(`/${name}/index.mjs`))
      .flatMap(([, { inputs }]) => Object.entries(inputs))
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .flatMap(([path]) => /client-dynamodb\/.*\/commands\/(\w+)Command\.js$/.exec(path)?.[1] ?? []);

  it.each(FUNCTIONS)('receives only database actions for which its bundle has a command: %s', (name) => {
    const { tables = {} }: Grants = GRANTS[name];
    const commands = commandsOf(name);
    const granted = [...new Set(Object.values(tables).flatMap((actions) => [...(actions ?? [])]))];
    expect(granted.length === 0 || commands.length > 0).toBe(true);
    const transacts = commands.includes('TransactWriteItems');
    const unused = granted.filter(
      (action) => !commands.includes(action) && !(transacts && IN_TRANSACTIONS.has(action)),
    );
    expect(unused).toEqual([]);
  });
});

describe('the justifications', () => {
  it('match an existing grant each', () => {
    const used = JUSTIFIED.filter(({ permission }) =>
      grants.some((grant) => permission.test(grant.permission)),
    );
    expect(JUSTIFIED.filter((entry) => !used.includes(entry)).map(({ reason }) => reason)).toEqual([]);
  });
});

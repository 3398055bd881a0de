import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { FUNCTION_FILE_BYTES, TRANSCRIPTION_FILE_BYTES } from '../../../lambdas/platform/contract/limits.ts';
import { assemblyOf } from '../../../test/template/assemblies.ts';
import { distributionOf } from '../../../test/template/edge/distributions.ts';
import { SynthesizedApp } from '../../../test/template/synthesized-app.ts';

describe('the host of uploads', () => {
  const app = new SynthesizedApp('web-function-ingress');

  it('runs its program in the function’s own role, with as many uploads at once as its disk holds', () => {
    const text = JSON.stringify(app.only('ingress', 'AWS::Lambda::WebFunctionRevision').Properties);
    expect(text).toContain('host.mjs');
    expect(text).toContain('SETTLEMENT_WORKFLOW');
    expect(text).toContain('createtranscriptionRole');
    const [, uploads = '0'] = /"[A-Za-z]*Concurren[A-Za-z]*":"?(\d+)/.exec(text) ?? [];
    expect(Number(uploads)).toBeGreaterThan(0);
    expect(Number(uploads) * TRANSCRIPTION_FILE_BYTES).toBeLessThan(512 * 1024 * 1024);
    expect(FUNCTION_FILE_BYTES).toBeLessThan(TRANSCRIPTION_FILE_BYTES);
  });

  it('refers to other stacks by imports alone, also where the construct repeats its configuration', () => {
    const { Resources: resources } = app.templates.ingress;
    const isDefined = (id: string) => id in resources || id.startsWith('AWS::') || id === 'BootstrapVersion';
    const references = [...JSON.stringify(resources).matchAll(/"(?:Ref":|Fn::GetAtt":\[)"([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(10);
    expect(references.map(([, id = '']) => id).filter((id) => !isDefined(id))).toEqual([]);
    expect(JSON.stringify(resources)).not.toContain('"Fn::ImportValue":"Inference-prod-ingress');
  });

  it('remains absent if the settings do not request it, or if a shared host serves the routes', () => {
    const { Resources: resources } = new SynthesizedApp('fargate').templates.ingress;
    const uploads = Object.keys(resources).filter((id) => id.startsWith('Upload'));
    expect(readdirSync(assemblyOf('standard'))).not.toContain('Inference-prod-ingress.template.json');
    expect(uploads).toEqual([]);
  });
});

describe('the host of uploads on Fargate', () => {
  const app = new SynthesizedApp('fargate-ingress');

  it('stands behind a VPC origin', () => {
    const behind = distributionOf(app).Origins.filter(({ VpcOriginConfig }) => VpcOriginConfig !== undefined);
    expect(behind).toHaveLength(1);
    expect(app.only('ingress', 'AWS::CloudFront::VpcOrigin').Properties).toMatchObject({
      VpcOriginEndpointConfig: { OriginProtocolPolicy: 'http-only' },
    });
  });

  it('settles its calls in the role of the function, which only its tasks may assume too', () => {
    expect(JSON.stringify(app.templates.ingress)).toContain('SETTLEMENT_WORKFLOW');
    const { TaskRoleArn: role } = app.only('ingress', 'AWS::ECS::TaskDefinition').Properties;
    expect(JSON.stringify(role)).toContain('createtranscriptionRole');
    const trusting = Object.entries(app.templates.inference.Resources).filter(([, { Properties }]) =>
      JSON.stringify(Properties).includes('ecs-tasks.amazonaws.com'),
    );
    expect(trusting.map(([id]) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual(['createtranscriptionRole']);
  });

  it('raises an alarm if no task runs', () => {
    const alarm = app.alarm('upload-tasks-missing');
    expect(alarm).toMatchObject({ Threshold: 1, TreatMissingData: 'breaching' });
    expect(JSON.stringify(alarm)).toContain('RunningTaskCount');
    expect(JSON.stringify(alarm)).toContain('{"Name":"ServiceName","Value":"prod-uploads"}');
  });
});

import { describe, expect, it } from '@jest/globals';
import { SynthesizedApp } from '../synthesized-app.ts';
import { type EcsService, release, releaseAlarms, type Version } from './ecs-service.ts';

const GOOD: Version = { isReady: true, isServing: true };
const UNREADY: Version = { isReady: false, isServing: false };
const FAILING: Version = { isReady: true, isServing: false };

/** The number that scaling has made of two. */
const TASKS = 6;

describe.each(['fargate', 'fargate-ingress'] as const)('a release of a service of six tasks: %s', (name) => {
  const app = new SynthesizedApp(name);
  const service = app.only('ingress', 'AWS::ECS::Service').Properties as unknown as EcsService;
  const rules = service.DeploymentConfiguration;
  const outcome = (version: Version, changed: Partial<EcsService> = {}) => {
    const deployed = { ...service, ...changed };
    return release(deployed, releaseAlarms(app.templates.ingress, deployed), TASKS, version);
  };

  it('keeps six tasks, and six of them healthy throughout', () => {
    expect(outcome(GOOD)).toEqual({ state: 'completed', tasks: { old: 0, new: 6, fewest: 6 } });
  });

  it('would be left with two by a desired count in the template', () => {
    expect(outcome(GOOD, { DesiredCount: 2 })).toEqual({
      state: 'completed',
      tasks: { old: 0, new: 2, fewest: 2 },
    });
  });

  it('rolls back when no new task becomes ready, while the old ones serve', () => {
    expect(outcome(UNREADY)).toEqual({ state: 'rolled back', tasks: { old: 6, new: 0, fewest: 6 } });
  });

  it('would go on without end if no circuit breaker counted the tasks that failed', () => {
    const { DeploymentCircuitBreaker: _removed, ...others } = rules;
    expect(outcome(UNREADY, { DeploymentConfiguration: others }).state).toBe('in progress');
  });

  it('rolls back by the alarm when its calls fail', () => {
    expect(outcome(FAILING).state).toBe('rolled back');
  });

  it('would complete with failing calls if no alarm judged it', () => {
    const { Alarms: _removed, ...others } = rules;
    expect(outcome(FAILING, { DeploymentConfiguration: others })).toMatchObject({
      state: 'completed',
      tasks: { new: 6 },
    });
  });
});

/** S3 with the buckets of the assembly, and the malware protection of its plan. */
import type { Assembly } from '../../assembly/assembly.ts';
import type { AwsServiceHandler } from '../endpoint.ts';
import type { MessagingServices } from '../messaging.ts';
import { DEFAULT_BUS, MalwareProtection } from './malware-protection.ts';
import type { ObjectStore } from './object-store.ts';
import { createS3Service, type S3ServiceOptions } from './s3-service.ts';
import type { ScanEngine } from './scan-engine.ts';

export interface BuildServicesOptions extends Pick<S3ServiceOptions, 'authorizeAs'> {
  readonly assembly: Pick<Assembly, 'buckets' | 'scanPlans' | 'roles'>;
  readonly objects: ObjectStore;
  readonly messaging: Pick<MessagingServices, 'buses'>;
  readonly engine: ScanEngine;
  readonly enforceIam: boolean;
  readonly log: (line: string) => void;
}

/** The services, by their names in signatures. */
export function createBuildServices(
  options: BuildServicesOptions,
): Readonly<Record<string, AwsServiceHandler>> {
  const { assembly, objects, messaging, authorizeAs } = options;
  const protection = new MalwareProtection({
    ...options,
    plans: assembly.scanPlans,
    put: (event) => void messaging.buses.put(DEFAULT_BUS, event),
  });
  const { buckets } = assembly;
  const { onCreated } = protection;
  return {
    s3: createS3Service({ buckets, objects, authorizeAs, onCreated, clock: () => Date.now() }),
    guardduty: protection.service,
  };
}

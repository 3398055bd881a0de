/**
 * The network of a host on Fargate. CloudFront accesses a balancer in private subnets of a VPC that has an internet
 * gateway, through which no traffic enters.
 *
 * A zone that the settings name has its own blocks and its own logical ids, whatever the others are. Otherwise a change of
 * the zones would create a subnet over the block of one that is deleted after it.
 */
import { CfnResource, Names, Token, Validations } from 'aws-cdk-lib';
import { type AllocateCidrRequest, type ISubnet, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';

/** It is connected to no other network. */
export const NETWORK = '10.0.0.0/16';

/** The number of blocks of 2,048 addresses: zones have that of their letter, zones without a name the last ones. */
const BLOCKS = 32;

const TASKS = 'tasks';

export class HostNetwork extends Vpc {
  constructor(scope: Construct, id: string, { zones }: { readonly zones: readonly string[] | undefined }) {
    super(scope, id, {
      ipAddresses: { allocateVpcCidr: () => ({ cidrBlock: NETWORK }), allocateSubnetsCidr: allocate },
      ...(zones === undefined ? { maxAzs: 2 } : { availabilityZones: [...zones] }),
      natGateways: 0,
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [
        { name: TASKS, subnetType: SubnetType.PUBLIC, mapPublicIpOnLaunch: false },
        { name: 'balancer', subnetType: SubnetType.PRIVATE_ISOLATED },
      ],
    });
    if (zones !== undefined) {
      for (const subnet of this.publicSubnets) this.#nameByZone(subnet, 'Tasks');
      for (const subnet of this.isolatedSubnets) this.#nameByZone(subnet, 'Balancer');
    }
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-VPC7',
      reason: 'Who called is in the program’s own log; a flow log would add addresses and cost.',
    });
  }

  #nameByZone(subnet: ISubnet, kind: string): void {
    const zone = subnet.availabilityZone.slice(-1).toUpperCase();
    for (const resource of subnet.node.findAll())
      if (CfnResource.isCfnResource(resource))
        resource.overrideLogicalId(`${Names.uniqueId(this)}${kind}${zone}${resource.node.id}`);
  }
}

function allocate({ requestedSubnets }: AllocateCidrRequest) {
  const zones = [...new Set(requestedSubnets.map(({ availabilityZone }) => availabilityZone))];
  const blockOf = (zone: string): number =>
    Token.isUnresolved(zone)
      ? BLOCKS - 1 - zones.indexOf(zone)
      : zone.charCodeAt(zone.length - 1) - 'a'.charCodeAt(0);
  return {
    allocatedSubnets: requestedSubnets.map(({ availabilityZone, configuration: { name } }) => ({
      cidr: `10.0.${8 * blockOf(availabilityZone) + (name === TASKS ? 0 : 4)}.0/22`,
    })),
  };
}

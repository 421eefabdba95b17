import { Arg, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../organizations/index.js';
import { approveAddress } from './approve-address.js';
import { checkAddress } from './check-address.js';
import type { CheckDesk } from './check-desk.js';
import {
  AddressCheckResultType,
  AddressCheckType,
  AddressPolicyType,
  AddressStatusEnum,
  ListedAddressConnectionType,
  ListedAddressType,
} from './check.type.js';
import { findAddressCheck } from './find-address-check.js';
import { findAddressPolicy } from './find-address-policy.js';
import { listAddresses } from './list-addresses.js';
import { revokeAddress } from './revoke-address.js';
import { setAddressDefault } from './set-address-default.js';

const APPLICATION = { description: 'The foreignId of the application.' };
const NETWORK = { description: 'The network of the address: `solana`.' };
const ADDRESS = { description: 'The address: 32 bytes in base58.' };
const REASON = { description: 'Why, 1 to 2000 characters.' };
const NEEDS =
  'Needs the permission `addresses:manage`, of the owner or of an administrator of the application.';

@Resolver()
export class CheckResolver {
  constructor(private readonly desk: CheckDesk) {}

  @Mutation(() => AddressCheckResultType, {
    description:
      'Checks whether an application may deal with an address, and records the check. The sanctions list is asked ' +
      'first, then every screening service, then the application’s addresses, then its default; when a screening step ' +
      'gives no answer, nothing is approved. Needs no credentials; checks of one client address are limited in a minute.',
  })
  async checkAddress(
    @Arg('network', () => String, NETWORK) network: string,
    @Arg('address', () => String, ADDRESS) address: string,
    @Arg('applicationId', () => String, { description: 'The `checkApplicationId` of the application.' })
    applicationId: string,
    @Ctx() context: RequestContext,
  ) {
    const check = await checkAddress(this.desk, context.clientAddress, { network, address, applicationId });
    return { ...check, checkId: check.id };
  }

  @Query(() => AddressCheckType, {
    description: `A recorded check of an application, with everything that its hash is made of. ${NEEDS}`,
  })
  addressCheck(
    @Arg('id', () => String, { description: 'Id of the check (`chk_…`).' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return findAddressCheck(this.desk.foundation, context.principal, id);
  }

  @Query(() => ListedAddressConnectionType, {
    description: `The addresses that an application has approved or revoked, in the order of their characters. ${NEEDS}`,
  })
  addresses(
    @Arg('application', () => String, APPLICATION) application: string,
    @Arg('status', () => AddressStatusEnum, { nullable: true, description: 'Only those that stand so.' })
    status: string | null | undefined,
    @Arg('first', () => Int, { nullable: true, description: 'Items of the page, 1 to 200; 50 when omitted.' })
    first: number | null | undefined,
    @Arg('after', () => String, {
      nullable: true,
      description: 'The `endCursor` of the page before, made with the same filters.',
    })
    after: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return listAddresses(this.desk.foundation, context.principal, { application, status, first, after });
  }

  @Query(() => AddressPolicyType, {
    description: `What an application says of addresses that it has not listed. ${NEEDS}`,
  })
  addressPolicy(
    @Arg('application', () => String, APPLICATION) application: string,
    @Ctx() context: RequestContext,
  ) {
    return findAddressPolicy(this.desk.foundation, context.principal, application);
  }

  @Mutation(() => ListedAddressType, {
    description: `Approves an address for an application; one that is approved stays as it is. ${NEEDS}`,
  })
  approveAddress(
    @Arg('application', () => String, APPLICATION) application: string,
    @Arg('network', () => String, NETWORK) network: string,
    @Arg('address', () => String, ADDRESS) address: string,
    @Arg('reason', () => String, REASON) reason: string,
    @Ctx() context: RequestContext,
  ) {
    const input = { application, network, address, reason };
    return approveAddress(this.desk.foundation, context.principal, input);
  }

  @Mutation(() => ListedAddressType, {
    description: `Revokes an address for an application; one that is revoked stays as it is. ${NEEDS}`,
  })
  revokeAddress(
    @Arg('application', () => String, APPLICATION) application: string,
    @Arg('network', () => String, NETWORK) network: string,
    @Arg('address', () => String, ADDRESS) address: string,
    @Arg('reason', () => String, REASON) reason: string,
    @Ctx() context: RequestContext,
  ) {
    const input = { application, network, address, reason };
    return revokeAddress(this.desk.foundation, context.principal, input);
  }

  @Mutation(() => AddressPolicyType, {
    description: `Says whether addresses that an application has not listed are approved. ${NEEDS}`,
  })
  setAddressDefault(
    @Arg('application', () => String, APPLICATION) application: string,
    @Arg('approvedByDefault', () => Boolean, { description: 'Whether they are.' }) approvedByDefault: boolean,
    @Arg('reason', () => String, REASON) reason: string,
    @Ctx() context: RequestContext,
  ) {
    const input = { application, approvedByDefault, reason };
    return setAddressDefault(this.desk.foundation, context.principal, input);
  }
}

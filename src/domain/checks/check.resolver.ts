import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { Foundation } from '../../platform/database/index.js';
import { createPersonOf, type RequestContext, requireUser } from '../access/index.js';
import { approveAddress, revokeAddress } from './addresses/set-address-status.js';
import { findAddressPolicy } from './addresses/find-address-policy.js';
import { listAddresses } from './addresses/list-addresses.js';
import type { ListedAddress } from './addresses/listed-address.js';
import { setAddressDefault } from './addresses/set-address-default.js';
import { checkAddress } from './check-address.js';
import type { CheckDesk } from './check-desk.js';
import {
  AddressCheckResultType,
  AddressCheckConnectionType,
  AddressCheckType,
  AddressPolicyType,
  ApproveAddressInput,
  CheckAddressInput,
  ListAddressChecksArguments,
  ListAddressesArguments,
  ListedAddressConnectionType,
  ListedAddressType,
  RevokeAddressInput,
  SetAddressDefaultInput,
} from './check.type.js';
import { findAddressCheck } from './find-address-check.js';
import { listAddressChecks } from './list-address-checks.js';

/** The person who changed an address. */
@Resolver(() => ListedAddressType)
export class ListedAddressResolver {
  private readonly personOf;

  constructor(foundation: Foundation) {
    this.personOf = createPersonOf(foundation);
  }

  @FieldResolver()
  changer(@Root() { changedBy }: ListedAddress, @Ctx() context: RequestContext) {
    return this.personOf(requireUser(context.principal).organizationId, changedBy);
  }
}

const NEEDS =
  'Needs the permission `addresses:manage`, of the owner or of an administrator of the application.';

@Resolver()
export class CheckResolver {
  constructor(private readonly desk: CheckDesk) {}

  @Mutation(() => AddressCheckResultType, {
    description:
      'Checks whether an application approves an address, and records the check. The gateway searches the ' +
      'sanctions list first, then queries every screening service, then the address list of the application, ' +
      'and then applies its default. If a screening step gives no answer, the address is not approved. Needs ' +
      'no credentials. The number of checks per minute is limited for each client address.',
  })
  async checkAddress(
    @Arg('input', () => CheckAddressInput, { description: 'The address and the application.' })
    input: CheckAddressInput,
    @Ctx() context: RequestContext,
  ) {
    const check = await checkAddress(this.desk, context.clientAddress, input);
    return { ...check, checkId: check.id };
  }

  @Query(() => AddressCheckType, {
    description: `A recorded address check of an application, with all members of its hashed object. ${NEEDS}`,
  })
  addressCheck(
    @Arg('id', () => ID, { description: 'Id of the check (`chk_…`).' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return findAddressCheck(this.desk.foundation, context.principal, id);
  }

  @Query(() => AddressCheckConnectionType, {
    description: `The recorded address checks of an application, newest first. ${NEEDS}`,
  })
  addressChecks(
    @Args(() => ListAddressChecksArguments) input: ListAddressChecksArguments,
    @Ctx() context: RequestContext,
  ) {
    return listAddressChecks(this.desk.foundation, context.principal, input);
  }

  @Query(() => ListedAddressConnectionType, {
    description:
      'The addresses that an application has approved or revoked, in alphabetical order (uppercase before ' +
      `lowercase). ${NEEDS}`,
  })
  addresses(
    @Args(() => ListAddressesArguments) input: ListAddressesArguments,
    @Ctx() context: RequestContext,
  ) {
    return listAddresses(this.desk.foundation, context.principal, input);
  }

  @Query(() => AddressPolicyType, {
    description: `The default decision of an application about addresses that it has not listed. ${NEEDS}`,
  })
  addressPolicy(
    @Arg('foreignId', () => String, { description: 'The foreignId of the application.' }) foreignId: string,
    @Ctx() context: RequestContext,
  ) {
    return findAddressPolicy(this.desk.foundation, context.principal, foreignId);
  }

  @Mutation(() => ListedAddressType, {
    description: `Approves an address for an application. Approving an approved address changes nothing. ${NEEDS}`,
  })
  approveAddress(
    @Arg('input', () => ApproveAddressInput, { description: 'The address and the application.' })
    input: ApproveAddressInput,
    @Ctx() context: RequestContext,
  ) {
    return approveAddress(this.desk.foundation, context.principal, input);
  }

  @Mutation(() => ListedAddressType, {
    description: `Revokes an address for an application. Revoking a revoked address changes nothing. ${NEEDS}`,
  })
  revokeAddress(
    @Arg('input', () => RevokeAddressInput, { description: 'The address and the application.' })
    input: RevokeAddressInput,
    @Ctx() context: RequestContext,
  ) {
    return revokeAddress(this.desk.foundation, context.principal, input);
  }

  @Mutation(() => AddressPolicyType, {
    description: `Sets whether an application approves addresses that it has not listed. ${NEEDS}`,
  })
  setAddressDefault(
    @Arg('input', () => SetAddressDefaultInput, { description: 'The application and its default.' })
    input: SetAddressDefaultInput,
    @Ctx() context: RequestContext,
  ) {
    return setAddressDefault(this.desk.foundation, context.principal, input);
  }
}

import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type RequestContext, requireCookie, requireSignedIn } from '../../access/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import type { PublicSite } from '../public-site.js';
import { disableTotp, enableTotp, proposeTotp } from './authenticator.js';
import { factorsOf } from './factors-of-account.js';
import { createRecoveryCodes } from './recovery-codes.js';
import { proposeStepUp, stepUp } from './step-up.js';
import { addPasskey, listPasskeys, proposePasskey, removePasskey } from './own-passkeys.js';
import {
  AddPasskeyInput,
  DisableTotpInput,
  EnableTotpInput,
  PasskeyType,
  SecondFactorType,
  StepUpInput,
  TotpEnrolmentType,
} from './second-factor.type.js';

@Resolver()
export class SecondFactorResolver {
  constructor(
    private readonly foundation: Foundation,
    private readonly site: PublicSite,
  ) {}

  @Query(() => SecondFactorType, {
    description: 'How you sign in, and when you last proved a second factor in this session.',
  })
  async secondFactor(@Ctx() context: RequestContext) {
    const { accountId, isFactorRequired, factorAt } = requireSignedIn(context.principal);
    const factors = await factorsOf(this.foundation.database, accountId);
    return { ...factors, required: isFactorRequired, provenAt: factorAt };
  }

  @Query(() => [PasskeyType], { description: 'Your passkeys, oldest first.' })
  passkeys(@Ctx() context: RequestContext) {
    return listPasskeys(this.foundation, context.principal);
  }

  @Mutation(() => GraphQLJSONObject, {
    description:
      'Returns the options with which the browser creates a passkey ' +
      '(`PublicKeyCredentialCreationOptionsJSON`). To add the passkey, call `addPasskey` within 5 minutes.',
  })
  proposePasskey(@Ctx() context: RequestContext) {
    return proposePasskey(this.foundation, this.site, context.principal);
  }

  @Mutation(() => PasskeyType, {
    description:
      'Adds a passkey to your account and ends your other sessions. From then on, your password alone is ' +
      'not enough to sign in. Needs a fresh second factor or, if you have none, your password; without a ' +
      'password, a sign-in in the last 5 minutes.',
  })
  addPasskey(
    @Arg('input', () => AddPasskeyInput, { description: 'The passkey.' }) input: AddPasskeyInput,
    @Ctx() context: RequestContext,
  ) {
    return addPasskey(this.foundation, this.site, context.principal, input, context.clientAddress);
  }

  @Mutation(() => Boolean, {
    description:
      'Removes one of your passkeys and ends your other sessions. Returns true. Fails with CONFLICT for ' +
      'your last way to sign in, and for your last second factor if one of your organizations requires ' +
      'one. Needs a fresh second factor.',
  })
  async removePasskey(
    @Arg('id', () => ID, { description: 'Id of the passkey (`pky_…`).' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    await removePasskey(this.foundation, context.principal, id);
    return true;
  }

  @Mutation(() => [String], {
    description:
      'Replaces all your recovery codes by ten new ones, which are shown only once. Each code works once, ' +
      'instead of a second factor. Needs a fresh second factor.',
  })
  createRecoveryCodes(@Ctx() context: RequestContext) {
    return createRecoveryCodes(this.foundation, context.principal);
  }

  @Mutation(() => GraphQLJSONObject, {
    description:
      'Returns the options with which the browser proves one of your passkeys for `stepUp` ' +
      '(`PublicKeyCredentialRequestOptionsJSON`).',
  })
  proposeStepUp(@Ctx() context: RequestContext) {
    return proposeStepUp(this.foundation, this.site, context.principal);
  }

  @Mutation(() => Boolean, {
    description:
      'Proves a second factor in this session. For 5 minutes, the session can then do what is otherwise ' +
      'refused with the reason `fresh_factor_required`. Returns true. A wrong factor counts as a failed ' +
      'sign-in.',
  })
  async stepUp(
    @Arg('input', () => StepUpInput, { description: 'The second factor.' }) input: StepUpInput,
    @Ctx() context: RequestContext,
  ) {
    await stepUp(this.foundation, this.site, context.principal, input, context.clientAddress);
    return true;
  }

  @Mutation(() => TotpEnrolmentType, {
    description:
      'Returns a new secret for your authenticator (RFC 6238). It has no effect until you call `enableTotp`.',
  })
  proposeTotp(@Ctx() context: RequestContext) {
    return proposeTotp(this.foundation, context.principal);
  }

  @Mutation(() => Boolean, {
    description:
      'Adds an authenticator and ends all your sessions. From then on, your password alone is not enough ' +
      'to sign in. Needs a fresh second factor or, if you have none, your password; without a password, a ' +
      'sign-in in the last 5 minutes. Returns true. Over HTTP only.',
  })
  async enableTotp(
    @Arg('input', () => EnableTotpInput, { description: 'The authenticator.' }) input: EnableTotpInput,
    @Ctx() context: RequestContext,
  ) {
    const cookie = requireCookie(context.sessionCookie);
    await enableTotp(this.foundation, context.principal, input, context.clientAddress);
    cookie.clear();
    return true;
  }

  @Mutation(() => Boolean, {
    description:
      'Removes your authenticator and ends all your sessions. Needs a code, and your password or, if you ' +
      'have none, a fresh second factor. Returns true. Over HTTP only.',
  })
  async disableTotp(
    @Arg('input', () => DisableTotpInput, { description: 'Your password and a code of the authenticator.' })
    input: DisableTotpInput,
    @Ctx() context: RequestContext,
  ) {
    const cookie = requireCookie(context.sessionCookie);
    await disableTotp(this.foundation, context.principal, input, context.clientAddress);
    cookie.clear();
    return true;
  }
}

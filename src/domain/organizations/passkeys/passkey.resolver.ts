import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type RequestContext, requireCookie, requireSignedIn } from '../../access/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import type { Door } from '../invitations/mailer.js';
import { factorsOf } from '../second-factor/factors-of-account.js';
import { createRecoveryCodes } from '../second-factor/recovery-codes.js';
import { proposeStepUp, stepUp } from '../second-factor/step-up.js';
import { admit } from '../sign-in/admit.js';
import { ViewerType } from '../sessions/viewer.type.js';
import { addPasskey, listPasskeys, proposePasskey, removePasskey } from './own-passkeys.js';
import {
  AddPasskeyInput,
  PasskeySignInInput,
  PasskeyType,
  SecondFactorType,
  StepUpInput,
} from './passkey.type.js';
import { proposePasskeySignIn, signInWithPasskey } from './sign-in-with-passkey.js';

@Resolver()
export class PasskeyResolver {
  constructor(
    private readonly foundation: Foundation,
    private readonly door: Door,
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
    return proposePasskey(this.foundation, this.door, context.principal);
  }

  @Mutation(() => PasskeyType, {
    description:
      'Adds a passkey to your account and ends your other sessions. From then on, your password alone is not ' +
      'enough to sign in. Needs a fresh second factor or, if you have none, your password.',
  })
  addPasskey(
    @Arg('input', () => AddPasskeyInput, { description: 'The passkey.' }) input: AddPasskeyInput,
    @Ctx() context: RequestContext,
  ) {
    return addPasskey(this.foundation, this.door, context.principal, input, context.clientAddress);
  }

  @Mutation(() => Boolean, {
    description:
      'Removes one of your passkeys and ends your other sessions. Returns true. Removing your last way to sign ' +
      'in is a CONFLICT, and so is removing your last second factor if your organization requires one. Needs a ' +
      'fresh second factor.',
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
      'Returns the options with which the browser signs in by a passkey ' +
      '(`PublicKeyCredentialRequestOptionsJSON`). They do not identify an account.',
  })
  proposePasskeySignIn() {
    return proposePasskeySignIn(this.foundation, this.door);
  }

  @Mutation(() => ViewerType, {
    description:
      'Opens a portal session with a passkey and sets its cookie. Every failure returns the same ' +
      'UNAUTHENTICATED. Over HTTP only.',
  })
  async signInWithPasskey(
    @Arg('input', () => PasskeySignInInput, { description: 'The passkey.' }) input: PasskeySignInInput,
    @Ctx() context: RequestContext,
  ) {
    const cookie = requireCookie(context.sessionCookie);
    const opened = await signInWithPasskey(
      this.foundation,
      this.door,
      input,
      context.clientAddress,
      cookie.token,
    );
    return admit(this.foundation, context, opened);
  }

  @Mutation(() => GraphQLJSONObject, {
    description:
      'Returns the options with which the browser proves one of your passkeys for `stepUp` ' +
      '(`PublicKeyCredentialRequestOptionsJSON`).',
  })
  proposeStepUp(@Ctx() context: RequestContext) {
    return proposeStepUp(this.foundation, this.door, context.principal);
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
    await stepUp(this.foundation, this.door, context.principal, input, context.clientAddress);
    return true;
  }
}

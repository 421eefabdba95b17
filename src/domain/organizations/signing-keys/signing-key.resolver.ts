import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { Foundation } from '../../../platform/database/index.js';
import type { RequestContext } from '../../access/index.js';
import { LogSigningKeyType } from '../../activity-log/index.js';
import { declareSigningKeyCompromised } from './declare-signing-key-compromised.js';
import { declareSigningKeyLost } from './declare-signing-key-lost.js';
import { rotateSigningKey } from './rotate-signing-key.js';
import {
  DeclareSigningKeyCompromisedInput,
  DeclareSigningKeyLostInput,
  RotateSigningKeyInput,
} from './signing-key.type.js';

const TWO_OWNERS =
  'Where a second person is required, it takes effect when another owner makes the same call. Needs the owner permission ' +
  '`policies:manage`.';

@Resolver()
export class SigningKeyResolver {
  constructor(private readonly foundation: Foundation) {}

  @Mutation(() => LogSigningKeyType, {
    description:
      'Makes the next key that signs the activity log and the receipts of your organization. The old key signs the log entry ' +
      `that names the new one, and checkpoints for some days more, so that verifiers can follow. ${TWO_OWNERS}`,
  })
  rotateSigningKey(
    @Arg('input', () => RotateSigningKeyInput, { description: 'The reason.' }) input: RotateSigningKeyInput,
    @Ctx() context: RequestContext,
  ) {
    return rotateSigningKey(this.foundation, context.principal, input);
  }

  @Mutation(() => LogSigningKeyType, {
    description:
      'Declares that an earlier signing key is compromised from an index of the log on. It signs nothing anymore. Verifiers ' +
      `refuse larger checkpoints that only this key signed. ${TWO_OWNERS}`,
  })
  declareSigningKeyCompromised(
    @Arg('input', () => DeclareSigningKeyCompromisedInput, { description: 'The key, and from when on.' })
    input: DeclareSigningKeyCompromisedInput,
    @Ctx() context: RequestContext,
  ) {
    return declareSigningKeyCompromised(this.foundation, context.principal, input);
  }

  @Mutation(() => LogSigningKeyType, {
    description:
      'Declares that the key in use is lost, and makes the next one. The lost key cannot name it, so the chain of keys is ' +
      'broken there: anyone who checks the log must get the new key from you. Refused while the key signs. Two owners declare it, at least ' +
      'an hour apart: the first call is a CONFLICT (`second_person_required`). Needs the owner permission `policies:manage`.',
  })
  declareSigningKeyLost(
    @Arg('input', () => DeclareSigningKeyLostInput, { description: 'The key, and what happened.' })
    input: DeclareSigningKeyLostInput,
    @Ctx() context: RequestContext,
  ) {
    return declareSigningKeyLost(this.foundation, context.principal, input);
  }
}

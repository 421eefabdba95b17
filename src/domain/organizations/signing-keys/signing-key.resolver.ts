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
  'If the organization requires a second person, the call takes effect when another owner repeats it. ' +
  'Needs the owner permission `policies:manage`.';

@Resolver()
export class SigningKeyResolver {
  constructor(private readonly foundation: Foundation) {}

  @Mutation(() => LogSigningKeyType, {
    description:
      'Creates the next key that signs the activity log and the receipts of your organization. The old key ' +
      'signs the log entry that names the new key. For some days it also signs checkpoints, so that verifiers ' +
      `can follow the change. ${TWO_OWNERS}`,
  })
  rotateSigningKey(
    @Arg('input', () => RotateSigningKeyInput, { description: 'The overlap and the reason.' })
    input: RotateSigningKeyInput,
    @Ctx() context: RequestContext,
  ) {
    return rotateSigningKey(this.foundation, context.principal, input);
  }

  @Mutation(() => LogSigningKeyType, {
    description:
      'Declares that a replaced signing key is compromised, beginning with an index of the log. The key ' +
      'no longer signs anything. Verifiers refuse checkpoints that cover this index and that only this key ' +
      `signed. ${TWO_OWNERS}`,
  })
  declareSigningKeyCompromised(
    @Arg('input', () => DeclareSigningKeyCompromisedInput, {
      description: 'The key, the index and the reason.',
    })
    input: DeclareSigningKeyCompromisedInput,
    @Ctx() context: RequestContext,
  ) {
    return declareSigningKeyCompromised(this.foundation, context.principal, input);
  }

  @Mutation(() => LogSigningKeyType, {
    description:
      'Declares that the current signing key is lost, and creates the next one. The lost key cannot sign ' +
      'its successor, so the chain of keys breaks: everyone who verifies the log must get the new key ' +
      'from you. The call is refused while the key can still sign. Two owners must make the same call, at ' +
      'least an hour apart: the first call fails with CONFLICT and the reason `second_person_required`. ' +
      'Needs the owner permission `policies:manage`.',
  })
  declareSigningKeyLost(
    @Arg('input', () => DeclareSigningKeyLostInput, { description: 'The key and the reason.' })
    input: DeclareSigningKeyLostInput,
    @Ctx() context: RequestContext,
  ) {
    return declareSigningKeyLost(this.foundation, context.principal, input);
  }
}

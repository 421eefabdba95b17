import { GraphQLDateTimeISO, GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { type Person, PersonType } from '../access/index.js';
import type { JsonObject } from '../../platform/kernel/encoding/json.js';

@ObjectType('Organization', { description: 'A tenant. It sees nothing of other organizations.' })
export class OrganizationType {
  @Field(() => ID, { description: 'Id (`org_…`).' })
  id!: string;

  @Field(() => String, { description: 'Name.' })
  name!: string;
}

@InputType('UpdateOrganizationInput', {
  description: 'Changes of an organization. Members that are left out do not change.',
})
export class UpdateOrganizationInput {
  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether decisions need two persons. Two owners must agree to change it.',
  })
  requireSecondPerson?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether members need a second factor to do anything, and a fresh one to decide. Where two persons are required, ' +
      'two owners must agree to turn it off.',
  })
  requireSecondFactor?: boolean | null;
}

@ObjectType('ProposedOperation', {
  description: 'An operation that takes effect when a second person calls it with the same input.',
})
export class ProposedOperationType {
  @Field(() => String, { description: 'The mutation.' })
  operation!: string;

  @Field(() => GraphQLJSONObject, { description: 'What it was called with.' })
  input!: JsonObject;

  @Field(() => PersonType, { description: 'Who proposed it.' })
  proposedBy!: Person;

  @Field(() => GraphQLDateTimeISO, { description: 'When it was proposed.' })
  proposedAt!: Date;

  @Field(() => GraphQLDateTimeISO, { description: 'When the proposal expires: after 72 hours.' })
  expiresAt!: Date;
}

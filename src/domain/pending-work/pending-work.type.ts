import { Field, Int, ObjectType } from 'type-graphql';
import { ApplicationType } from '../organizations/index.js';

@ObjectType('PendingWork', { description: 'What waits for your decision in one application.' })
export class PendingWorkType {
  @Field(() => ApplicationType, {
    nullable: true,
    description: 'The application. Null for the work of assets that are assigned to no application.',
  })
  application!: ApplicationType | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of pending case requests. Null if you may not decide them.',
  })
  caseRequests!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of disclosures without a decision. Null if you may not decide them.',
  })
  disclosures!: number | null;
}

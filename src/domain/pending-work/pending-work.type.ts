import { Field, Int, ObjectType } from 'type-graphql';
import { ApplicationType } from '../organizations/index.js';

@ObjectType('PendingWork', { description: 'What waits for your decision in an application.' })
export class PendingWorkType {
  @Field(() => ApplicationType, {
    nullable: true,
    description: 'The application. Null: assets of no application.',
  })
  application!: ApplicationType | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of pending case requests. Null where you do not decide them.',
  })
  caseRequests!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of disclosures without a decision. Null where you do not decide them.',
  })
  disclosures!: number | null;
}

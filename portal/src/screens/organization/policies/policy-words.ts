import { texts } from '../../../texts.ts';

/** What a policy does with a request, as the end of a sentence about it. */
export const OUTCOME_NAMES = texts(
  { authorize: 'is authorized at once', review: 'waits for a person', reject: 'is rejected at once' },
  {
    fr: {
      authorize: 'est autorisée aussitôt',
      review: 'attend une personne',
      reject: 'est rejetée aussitôt',
    },
  },
);
export const OUTCOMES = [
  'authorize',
  'review',
  'reject',
] as const satisfies readonly (keyof typeof OUTCOME_NAMES)[];

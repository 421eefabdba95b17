import { graphql, type EnumOf, type GrantedOf } from '../../../graphql/document';

export const RETENTION = graphql(`
  query Retention {
    retention {
      settings {
        kind
        years
        isDefault
      }
      legalHolds {
        id
        kinds
        reason
        until
        placedAt
        placedBy {
          name
        }
      }
    }
  }
`);
export const SET_RETENTION = graphql(`
  mutation SetRetention($input: SetRetentionInput!) {
    setRetention(input: $input) {
      years
    }
  }
`);
export const PLACE_LEGAL_HOLD = graphql(`
  mutation PlaceLegalHold($input: PlaceLegalHoldInput!) {
    placeLegalHold(input: $input) {
      id
    }
  }
`);
export const RELEASE_LEGAL_HOLD = graphql(`
  mutation ReleaseLegalHold($input: ReleaseLegalHoldInput!) {
    releaseLegalHold(input: $input) {
      id
    }
  }
`);

export type RetentionKind = EnumOf<'RetentionKind'>;
type Kept = GrantedOf<typeof RETENTION>['retention'];
export type RetentionSetting = Kept['settings'][number];
export type LegalHold = Kept['legalHolds'][number];

/** What a change of the retention or of a hold makes old. */
export const CHANGED = [['retention'], ['activityLog'], ['proposedOperations']];

import type { EnumOf } from '../../graphql/document';
import { texts } from '../../texts.ts';

/** What a report shows. */
export const TYPE_NAMES: Readonly<Record<EnumOf<'ReportType'>, string>> = texts(
  {
    transaction_summary: 'Totals by asset and type',
    transaction_detail: 'Every transaction',
    activity_log: 'Activity log',
  },
  {
    fr: {
      transaction_summary: 'Totaux par actif et type',
      transaction_detail: 'Chaque transaction',
      activity_log: 'Journal d’activité',
    },
  },
);

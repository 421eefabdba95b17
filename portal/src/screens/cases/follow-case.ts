import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useViewer } from '../../app/session';
import { afterEnd } from '../../graphql/hooks';
import { follow } from '../../graphql/live';
import type { caseSearch } from '../search.ts';
import { RECORD_ADDED, type CaseNode } from './documents';

/** The filters of a case's transactions, for the list and for the number that is followed beside it. */
export function filtersOf(
  { assets }: Pick<CaseNode, 'assets'>,
  { type, asset, from, to }: ReturnType<typeof caseSearch>,
) {
  return {
    ...(type === undefined ? {} : { type }),
    ...(asset === undefined || !assets.some(({ id }) => id === asset) ? {} : { assetId: asset }),
    ...(from === undefined ? {} : { from: `${from}T00:00:00.000Z` }),
    ...(to === undefined ? {} : { to: `${to}T23:59:59.999Z` }),
  };
}

/**
 * The number of transactions of a case with these filters, as they are added. The gateway ends this subscription when the
 * right to read them ends: `onOver` is told the time at once, before the case is read again.
 */
export function useTransactionCount(
  {
    app,
    id,
    filters,
    isOn,
  }: {
    readonly app: string;
    readonly id: string;
    readonly filters: ReturnType<typeof filtersOf>;
    readonly isOn: boolean;
  },
  onOver: (at: number) => void,
): number | undefined {
  const client = useQueryClient();
  // A change of the permissions ends it, too: it begins again with the new ones.
  const { permissions } = useViewer();
  const chosen = JSON.stringify(filters);
  const [counted, setCounted] = useState<{ readonly of: string; readonly total: number }>();
  useEffect(() => {
    if (!isOn) return undefined;
    return follow(
      RECORD_ADDED,
      { foreignId: app, id, ...(JSON.parse(chosen) as typeof filters) },
      {
        next: ({ caseTransactionAdded: { totalCount } }) => setCounted({ of: chosen, total: totalCount }),
        ended(codes) {
          if (codes.includes('NOT_FOUND') || codes.includes('FORBIDDEN')) onOver(Date.now());
          afterEnd(client, codes, () => void client.invalidateQueries({ queryKey: ['case', app, id] }));
        },
      },
    );
  }, [client, app, id, chosen, isOn, onOver, permissions]);
  return counted?.of === chosen ? counted.total : undefined;
}

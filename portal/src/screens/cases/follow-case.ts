import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useViewer } from '../../app/session';
import { afterEnd } from '../../graphql/hooks';
import { follow } from '../../graphql/live';
import { RECORD_ADDED } from './documents';

/**
 * The number of transactions of a case, as they are added. The gateway ends this subscription when the right to read them
 * ends: `onOver` is told the time at once, before the case is read again.
 */
export function useTransactionCount(
  { app, id, isOn }: { readonly app: string; readonly id: string; readonly isOn: boolean },
  onOver: (at: number) => void,
): number | undefined {
  const client = useQueryClient();
  // A change of the permissions ends it, too: it begins again with the new ones.
  const { permissions } = useViewer();
  const [total, setTotal] = useState<number>();
  useEffect(() => {
    if (!isOn) return undefined;
    return follow(
      RECORD_ADDED,
      { foreignId: app, id },
      {
        next: ({ caseTransactionAdded: { totalCount } }) => setTotal(totalCount),
        ended(codes) {
          if (codes.includes('NOT_FOUND') || codes.includes('FORBIDDEN')) onOver(Date.now());
          afterEnd(client, codes, () => void client.invalidateQueries({ queryKey: ['case', app, id] }));
        },
      },
    );
  }, [client, app, id, isOn, onOver, permissions]);
  return total;
}

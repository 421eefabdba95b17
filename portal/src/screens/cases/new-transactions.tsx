import { useEffect, useState } from 'react';
import { Button } from '../../design/button';
import { follow } from '../../graphql/live';
import { counted, texts } from '../../texts.ts';
import { RECORD_ADDED } from './documents';

const words = texts(
  {
    added: (count: number) => counted(count, 'new transaction', 'new transactions'),
    show: 'Show them',
  },
  {
    fr: {
      added: (count: number) => counted(count, 'nouvelle transaction', 'nouvelles transactions'),
      show: 'Les afficher',
    },
  },
);

/** Says that transactions were added since the list was read. They are read when the reader asks: reading is logged. */
export function NewTransactions({
  app,
  id,
  onShow,
}: {
  readonly app: string;
  readonly id: string;
  readonly onShow: () => void;
}) {
  const [known, setKnown] = useState<number>();
  const [total, setTotal] = useState<number>();
  useEffect(
    () =>
      follow(
        RECORD_ADDED,
        { foreignId: app, id },
        {
          next({ caseTransactionAdded: { totalCount } }) {
            setTotal(totalCount);
            setKnown((before) => before ?? totalCount);
          },
          ended: () => undefined,
        },
      ),
    [app, id],
  );
  const count = known === undefined || total === undefined ? 0 : total - known;
  return (
    <div role="status">
      {count > 0 && (
        <p className="notice row">
          {words.added(count)}
          <Button
            onPress={() => {
              setKnown(total);
              onShow();
            }}
          >
            {words.show}
          </Button>
        </p>
      )}
    </div>
  );
}

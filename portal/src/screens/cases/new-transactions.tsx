import { useState } from 'react';
import { Button } from '../../design/button';
import { counted, texts } from '../../texts.ts';

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
  total,
  listed,
  onShow,
}: {
  /** How many there are now, with the filters of the list. */
  readonly total: number | undefined;
  /** How many there were when the list was read. */
  readonly listed: number | undefined;
  readonly onShow: () => void;
}) {
  const [asked, setAsked] = useState<number>();
  const count = total === undefined || listed === undefined || total === asked ? 0 : total - listed;
  return (
    <div role="status">
      {count > 0 && (
        <p className="notice row">
          {words.added(count)}
          <Button
            onPress={() => {
              setAsked(total);
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

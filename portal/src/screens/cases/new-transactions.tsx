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
  isFiltered,
  onShow,
}: {
  /** How many there are now. */
  readonly total: number | undefined;
  /** How many there were when the list was read. */
  readonly listed: number | undefined;
  /** The list has only some: `listed` says nothing of the others. */
  readonly isFiltered: boolean;
  readonly onShow: () => void;
}) {
  const [known, setKnown] = useState<number>();
  const counted = isFiltered ? (known ?? total) : listed;
  if (counted !== undefined && (known === undefined || counted > known)) setKnown(counted);
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

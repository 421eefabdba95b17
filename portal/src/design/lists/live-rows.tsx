import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { counted, texts } from '../../texts.ts';
import { Button } from '../button';

const words = texts(
  {
    arrived: (count: number) => counted(count, 'new row', 'new rows'),
    showArrived: 'Show new rows',
  },
  {
    fr: {
      arrived: (count: number) => counted(count, 'nouvelle ligne', 'nouvelles lignes'),
      showArrived: 'Afficher les nouveautés',
    },
  },
);

/**
 * The rows of a live list, in any order. Rows do not move while the reader uses them, with the pointer or focus in the list
 * or scrolled to it: new rows among or above them wait and are announced. New rows below are shown immediately.
 */
export function LiveRows<Node>({
  nodes,
  keyOf,
  children,
}: {
  readonly nodes: readonly Node[];
  readonly keyOf: (node: Node) => string;
  readonly children: (nodes: readonly Node[]) => ReactNode;
}) {
  const list = useRef<HTMLDivElement>(null);
  const keys = nodes.map(keyOf);
  const [taken, setTaken] = useState<ReadonlySet<string>>(() => new Set(keys));
  // Where no row is known it is another list, of which nobody has read anything.
  const last = keys.findLastIndex((key) => taken.has(key));
  const isWaiting = (key: string, index: number) => index < last && !taken.has(key);
  const waiting = keys.filter(isWaiting).length;
  const identity = keys.join();
  const take = () => setTaken(new Set(keys));
  useLayoutEffect(() => {
    const { current } = list;
    const isRead =
      current !== null &&
      (current.matches(':hover, :focus-within') || current.getBoundingClientRect().top < 0);
    if (waiting === 0 || !isRead) setTaken(new Set(identity.split(',')));
  }, [identity, waiting]);
  return (
    <div>
      {/* It has no height: where it comes, the rows stay where they are. */}
      <div role="status" className="arrived">
        {waiting > 0 && (
          <p className="notice row">
            <span>{words.arrived(waiting)}</span>
            <Button onPress={take}>{words.showArrived}</Button>
          </p>
        )}
      </div>
      <div ref={list} className="stack">
        {children(waiting === 0 ? nodes : nodes.filter((node, index) => !isWaiting(keys[index]!, index)))}
      </div>
    </div>
  );
}

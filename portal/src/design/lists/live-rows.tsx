import {
  createContext,
  use,
  useLayoutEffect,
  useRef,
  useState,
  type FocusEvent,
  type PointerEvent,
  type ReactNode,
} from 'react';
import { counted, texts } from '../../texts.ts';
import { Button } from '../button';

const words = texts(
  {
    arrived: (count: number) => counted(count, 'new row', 'new rows'),
    showArrived: 'Show new rows',
    left: 'No longer in this list',
    haveLeft: (count: number) =>
      counted(count, 'row is no longer in this list', 'rows are no longer in this list'),
  },
  {
    fr: {
      arrived: (count: number) => counted(count, 'nouvelle ligne', 'nouvelles lignes'),
      showArrived: 'Afficher les nouveautés',
      left: 'N’est plus dans cette liste',
      haveLeft: (count: number) =>
        counted(count, 'ligne n’est plus dans cette liste', 'lignes ne sont plus dans cette liste'),
    },
  },
);

/** The rows that have left the list around them, by key. */
const Left = createContext<ReadonlySet<string>>(new Set());

/** A row of a list that may be live. One that has left the list says so, and keeps its height. */
export function LiveRow({ id, children }: { readonly id: string; readonly children: ReactNode }) {
  const hasLeft = use(Left).has(id);
  return (
    <li className={hasLeft ? 'item has-left' : 'item'}>
      {children}
      {hasLeft && <span className="badge">{words.left}</span>}
    </li>
  );
}

interface Shown<Node> {
  readonly list: string | undefined;
  readonly rows: readonly Node[];
}

/**
 * The rows of a live list, in any order. Rows do not move while the reader uses them, with the pointer or focus in the list
 * or scrolled to it: new rows among or above them wait and are announced, and rows that leave stay until the reader does. New
 * rows below are shown immediately.
 */
export function LiveRows<Node>({
  nodes,
  keyOf,
  list,
  empty,
  children,
}: {
  readonly nodes: readonly Node[];
  readonly keyOf: (node: Node) => string;
  /** Names the list, with its filters. A row leaves only the list that it was in: without a name, rows go at once. */
  readonly list?: string | undefined;
  readonly empty?: ReactNode;
  /** Shows each row as a `LiveRow` with its key, where a list has a name. */
  readonly children: (rows: readonly Node[]) => ReactNode;
}) {
  const element = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<Shown<Node>>({ list, rows: nodes });
  const now = new Map(nodes.map((node) => [keyOf(node), node]));
  const isSame = list === shown.list;
  const before = isSame ? shown.rows.filter((row) => list !== undefined || now.has(keyOf(row))) : [];
  const known = new Set(before.map(keyOf));
  const left = new Set([...known].filter((key) => !now.has(key)));
  const last = nodes.findLastIndex((node) => known.has(keyOf(node)));
  const waiting = nodes.filter((node, index) => index < last && !known.has(keyOf(node))).length;
  const rows = [...before.map((row) => now.get(keyOf(row)) ?? row), ...nodes.slice(last + 1)];
  const latest = useRef({ list, nodes, rows });
  useLayoutEffect(() => {
    latest.current = { list, nodes, rows };
  });
  const identity = [list, ...now.keys()].join();
  useLayoutEffect(() => {
    const isRead =
      element.current !== null &&
      (element.current.matches(':hover, :focus-within') || element.current.getBoundingClientRect().top < 0);
    setShown({ list: latest.current.list, rows: isRead ? latest.current.rows : latest.current.nodes });
  }, [identity]);
  const letGo = () => {
    if (left.size > 0) setShown({ list, rows: rows.filter((row) => !left.has(keyOf(row))) });
  };
  const onPointerLeave = ({ currentTarget, pointerType }: PointerEvent) => {
    // A finger leaves before its tap is a click, which must meet the row that was tapped.
    if (pointerType !== 'touch' && !currentTarget.matches(':focus-within')) letGo();
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget) && !currentTarget.matches(':hover')) letGo();
  };
  if (rows.length === 0) return empty;
  return (
    <div>
      {/* It has no height: where it comes, the rows stay where they are. */}
      <div role="status" className="arrived">
        {waiting > 0 && (
          <p className="notice row">
            <span>{words.arrived(waiting)}</span>
            <Button onPress={() => setShown({ list, rows: nodes })}>{words.showArrived}</Button>
          </p>
        )}
        {left.size > 0 && <span className="visually-hidden">{words.haveLeft(left.size)}</span>}
      </div>
      <div ref={element} className="stack" onPointerLeave={onPointerLeave} onBlur={onBlur}>
        <Left value={left}>{children(rows)}</Left>
      </div>
    </div>
  );
}

import { createContext, use, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { isByTouch } from '../../graphql/presence';
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

/** A finger does not leave a list, and a list may be scrolled without pointing to it: its rows are let go after this time. */
const MAX_UNUSED_MS = 20_000;

/** Whether a mouse points to it, or the focus is in it. A browser takes the place that was tapped last as pointed to. */
const isUsed = (list: Element): boolean => !isByTouch() && list.matches(':hover, :focus-within');

/** While there are rows to let go, lets them go once the reader has finished with the list. */
function useLetGo(element: { readonly current: Element | null }, isOn: boolean, letGo: () => void): void {
  const latest = useRef(letGo);
  useLayoutEffect(() => {
    latest.current = letGo;
  });
  useEffect(() => {
    const list = element.current;
    if (!isOn || !list) return undefined;
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      if (!isUsed(list)) latest.current();
    };
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(look, MAX_UNUSED_MS);
    };
    const isInside = ({ target }: Event) => target instanceof Node && list.contains(target);
    const on = (type: string, listener: (event: Event) => void) =>
      document.addEventListener(type, listener, { capture: true, passive: true, signal: over.signal });
    // A finger leaves before its tap is a click, which must meet the row that was tapped.
    on('click', (event) => {
      if (isInside(event)) wait();
      else look();
    });
    on('focusin', (event) => {
      if (!isInside(event)) look();
    });
    on('focusout', (event) => {
      if (isInside(event) && !isByTouch()) setTimeout(look);
    });
    on('pointerleave', ({ target }) => {
      if (target === list && !isByTouch() && !list.matches(':focus-within')) latest.current();
    });
    on('visibilitychange', () => {
      if (document.visibilityState === 'hidden') latest.current();
    });
    for (const type of ['touchmove', 'scroll']) on(type, wait);
    wait();
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [element, isOn]);
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
  useLetGo(element, left.size > 0, letGo);
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
      <div ref={element} className="stack">
        <Left value={left}>{children(rows)}</Left>
      </div>
    </div>
  );
}

import { useEffect, useRef, type RefObject } from 'react';

/**
 * What takes the place of the buttons of a decision: it takes the focus when the decision is made, unless something else has
 * it. Otherwise the focus would go with the button that opened the dialog.
 */
export function useDecidedFocus<Element extends HTMLElement>(isDecided: boolean): RefObject<Element | null> {
  const ref = useRef<Element>(null);
  const wasDecided = useRef(isDecided);
  useEffect(() => {
    if (isDecided && !wasDecided.current && document.activeElement === document.body) ref.current?.focus();
    wasDecided.current = isDecided;
  }, [isDecided]);
  return ref;
}

import { useEffect, useRef, type RefObject } from 'react';

/**
 * Replaces the buttons of a decision, and takes the focus after the decision unless another element has it. Otherwise the
 * focus would be lost with the button that opened the dialog.
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

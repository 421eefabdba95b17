/** Our own outlines, drawn on 24 × 24. They are next to words and hidden from screen readers. */
const OUTLINES = {
  window: 'M5 21V10a7 7 0 0 1 14 0v11zM12 3v18M5 13h14',
  check: 'M4 12.5l5 5L20 6.5',
  cross: 'M6 6l12 12M18 6L6 18',
  question: 'M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 18h.01',
  dots: 'M5 12h.01M12 12h.01M19 12h.01',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
} as const;

export type IconName = keyof typeof OUTLINES;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={OUTLINES[name]} />
    </svg>
  );
}

import { qrCode } from './qr-code.ts';

/** Modules of white around the code, without which cameras do not find it. */
const QUIET = 4;

/** A QR code, dark on white in every color scheme: cameras read it so. */
export function QrPicture({ text, label }: { readonly text: string; readonly label: string }) {
  const code = qrCode(text);
  const size = code.length + 2 * QUIET;
  const dark = code.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x + QUIET} ${y + QUIET}h1v1h-1z`] : [])),
  );
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} className="paper" />
      <path d={dark.join('')} />
    </svg>
  );
}

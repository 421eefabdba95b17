/**
 * Base units as people write them: `'1234567'` with 2 decimals is `12,345.67`.
 * @param units A decimal string of base units without a sign.
 */
export function decimalAmount(units: string, decimals: number): string {
  const digits = units.padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`;
}

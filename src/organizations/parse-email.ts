import { badUserInput } from '../kernel/errors.js';

// RFC 5321 section 4.5.3.1.3 leaves 254 characters for an address. Only mail sent to it could prove more than this.
const FORM = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;
const LONGEST = 254;

export function parseEmail(member: string, value: unknown): string {
  if (typeof value !== 'string' || value.length > LONGEST || !FORM.test(value)) {
    throw badUserInput(`${member} must be an e-mail address.`);
  }
  return value;
}

/**
 * What accounts are told apart by: only A to Z have a case. Databases and JavaScript fold more, and so a stranger's
 * address into a member's: KELVIN SIGN becomes k.
 */
export function foldEmail(email: string): string {
  return email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

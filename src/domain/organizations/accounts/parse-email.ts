import { invalidMember } from '../../../platform/kernel/errors.js';

// RFC 5321 section 4.5.3.1.3 leaves 254 characters for an address. Only an e-mail to the address could prove more.
const FORM = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;
const MAX_EMAIL_LENGTH = 254;

export function parseEmail(member: string, value: unknown): string {
  if (typeof value !== 'string' || value.length > MAX_EMAIL_LENGTH || !FORM.test(value)) {
    throw invalidMember(member, 'must be an e-mail address');
  }
  return value;
}

/**
 * The form in which e-mail addresses are compared: only A to Z have a case. Databases and JavaScript fold more characters, so
 * a stranger's address could equal a member's: KELVIN SIGN becomes k.
 */
export function foldEmail(email: string): string {
  return email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

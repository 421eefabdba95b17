import { describe, expect, it } from '@jest/globals';
import { isCommonPassword } from '../../../src/domain/organizations/accounts/common-passwords.js';
import { parsePassword } from '../../../src/domain/organizations/accounts/password.js';

describe('a new password', () => {
  it.each([
    '1q2w3e4r5t6y',
    'Password1234',
    'P@ssw0rd2026!',
    'PASSWORDPASSWORD',
    'iloveyou!!!!',
    'Dragon19871123',
    'aaaaaaaaaaaaaa',
    'abcabcabcabcabc',
    '123456789012',
    'qwertyuiopas',
    'zyxwvutsrqponml',
    '1qaz2wsx3edc',
    'ｐａｓｓｗｏｒｄ１２３４',
  ])('is refused if it is like %s, which attackers try first', (password) => {
    expect(isCommonPassword(password)).toBe(true);
    expect(() => parsePassword('newPassword', password)).toThrow('attackers try first');
  });

  it.each([
    'correct horse battery staple',
    'vkPq83!mzLw0x',
    'ein Satz ohne viel Sinn',
    'tangerine-otter-Quilt-71',
  ])('is accepted if it is like %s', (password) =>
    expect(parsePassword('newPassword', password)).toBe(password),
  );

  it('is refused if it is the person’s own name or e-mail address', () => {
    const about = ['ada.administrator@example.test', 'Ada Administrator'];
    for (const password of ['ada.administrator@example.test', 'Administrator2026', 'adm1n1strat0r!!'])
      expect(() => parsePassword('newPassword', password, about)).toThrow('attackers try first');
  });
});

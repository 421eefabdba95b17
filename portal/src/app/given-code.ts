/** The six digits are a one-time code; anything else is a recovery code. */
export const givenCode = (code: string): { totp?: string; recoveryCode?: string } =>
  code === ''
    ? {}
    : /^\d{6}$/.test(code.replaceAll(' ', ''))
      ? { totp: code.replaceAll(' ', '') }
      : { recoveryCode: code };

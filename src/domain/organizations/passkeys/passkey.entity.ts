import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';

/** A passkey (WebAuthn credential) of a person. Only the person's authenticator has the private key. */
export const PasskeyEntity = defineEntity({
  name: 'Passkey',
  tableName: 'passkeys',
  properties: {
    id: p.text().primary().$type<Id<'pky'>>(),
    accountId: p.text().$type<Id<'acc'>>(),
    credentialId: p.blob().$type<Uint8Array>(),
    /** COSE key (RFC 9052). */
    publicKey: p.blob().$type<Uint8Array>(),
    /** The id of the account for the authenticator. It is random and reveals nothing. */
    userHandle: p.blob().$type<Uint8Array>(),
    /** Grows with each use if the authenticator counts. A copy of the key is detected, because its count is lower. */
    signCount: p.bigint('number'),
    transports: p.array().$type<string[]>(),
    name: p.text(),
    createdAt: p.datetime(3),
    lastUsedAt: p.datetime(3).nullable(),
  },
});

declare module '../../../platform/database/query.js' {
  interface Tables {
    passkeys: TableOf<typeof PasskeyEntity>;
  }
}

import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';

/** A passkey (WebAuthn credential) by which a person signs in. The private key is with the person's authenticator only. */
export const PasskeyEntity = defineEntity({
  name: 'Passkey',
  tableName: 'passkeys',
  properties: {
    id: p.text().primary().$type<Id<'pky'>>(),
    accountId: p.text().$type<Id<'acc'>>(),
    credentialId: p.blob().$type<Uint8Array>(),
    /** COSE key (RFC 9052). */
    publicKey: p.blob().$type<Uint8Array>(),
    /** The account, as the authenticator knows it: random to everyone else. */
    userHandle: p.blob().$type<Uint8Array>(),
    /** Grows with each use where the authenticator counts; a copy of the key gives itself away by counting less. */
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

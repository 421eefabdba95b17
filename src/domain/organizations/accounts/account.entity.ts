import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';

/**
 * The sign-in methods of a person. No organization sees it: an organization only knows its own user of the person. An account
 * may have users in several organizations, and several accounts may have one e-mail address.
 */
export const AccountEntity = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    id: p.text().primary().$type<Id<'acc'>>(),
    /** As the person typed it. */
    email: p.text(),
    /** An argon2id PHC string. Null if the person has no password. */
    passwordHash: p.text().nullable(),
    sealedTotpSecret: p.blob().nullable().$type<Uint8Array | null>(),
    /** The last time step whose code was accepted. No code is accepted twice (RFC 6238 section 5.2). */
    lastTotpStep: p.bigint('number').nullable(),
    /** Issuer and subject at an OpenID provider. */
    oidcSubject: p.text().nullable(),
    createdAt: p.datetime(3),
    /** When the person, or somebody who vouches for it, showed that the address is theirs. Null if nobody did. */
    addressProvenAt: p.datetime(3).nullable(),
  },
});

declare module '../../../platform/database/query.js' {
  interface Tables {
    accounts: TableOf<typeof AccountEntity>;
  }
}

import { defineEntity, p } from '@mikro-orm/core';
import type { PermissionSet } from '../../access/index.js';
import type { TableOf } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';

/** A one-time link that creates a member, or that gives a member (`userId`) a new account. */
export const InvitationEntity = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  properties: {
    id: p.text().primary().$type<Id<'inv'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    userId: p.text().nullable().$type<Id<'usr'> | null>(),
    email: p.text(),
    name: p.text(),
    /** The initial permissions of a new member. */
    permissions: p.json().$type<PermissionSet>(),
    /** SHA-256 of the token of the link. */
    tokenHash: p.blob().$type<Uint8Array>(),
    invitedBy: p.text(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    acceptedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    /** When the link was mailed. Null if it was shown to the inviter, who may have used it. */
    mailedAt: p.datetime(3).nullable(),
  },
});

declare module '../../../platform/database/query.js' {
  interface Tables {
    invitations: TableOf<typeof InvitationEntity>;
  }
}

import { defineEntity, p } from '@mikro-orm/core';
import type { Id } from '../kernel/ids.js';

/** A person. What they may do, and for whom, is in the membership and its grants. */
export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.text().primary().$type<Id<'usr'>>(),
    /** As it was typed; unique without regard to case. */
    email: p.text(),
    name: p.text(),
    /** An argon2id PHC string; null for a person who signs in elsewhere. */
    passwordHash: p.text().nullable(),
    sealedTotpSecret: p.blob().nullable(),
    /** The last time step whose code was accepted: no code is accepted twice (RFC 6238 section 5.2). */
    lastTotpStep: p.bigint('number').nullable(),
    oidcSubject: p.text().nullable(),
    createdAt: p.datetime(3),
  },
});

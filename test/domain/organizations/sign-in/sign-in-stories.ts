import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { createAuthenticator } from '../../../../src/domain/access/index.js';
import { openPersonalValues, type Salts } from '../../../../src/domain/activity-log/index.js';
import { signIn, type SignInInput } from '../../../../src/domain/organizations/index.js';
import { type Database, type Foundation, sql } from '../../../../src/platform/database/index.js';
import type { JsonObject } from '../../../../src/platform/kernel/encoding/json.js';
import type { LucarneError } from '../../../../src/platform/kernel/errors.js';
import { createTestDatabase } from '../../../kit/database/database.js';
import { type SeededOrganization, seedMember, seedOrganization, testFoundation } from '../../../kit/seed.js';

/** One organization in the database of this file, with a clock that the stories move, and their requests. */
class SignInStories {
  /** The time of the clock, in milliseconds. */
  instant = Date.parse('2126-11-21T10:00:00.000Z');
  /** The client's address. Each story has a different one, because the attempts of a client are counted per minute. */
  address = '';
  readonly clock = { now: () => new Date(this.instant) };
  database!: Database;
  foundation!: Foundation;
  seed!: SeededOrganization;

  readonly newMember = () => seedMember(this.foundation, this.seed.organization.id, {}, 'Mia Member');

  readonly authenticate = async (sessionToken: string) => {
    await using authenticator = createAuthenticator(this.foundation);
    return await authenticator.authenticate({ sessionToken });
  };

  /** The error of a sign-in that must fail. */
  readonly refusal = async (
    input: SignInInput,
    address = this.address,
    on = this.foundation,
  ): Promise<LucarneError> => {
    try {
      await signIn(on, input, address);
    } catch (thrown) {
      return thrown as LucarneError;
    }
    throw new Error('The sign-in succeeded.');
  };

  readonly sessionEntries = async (sessionId: string) => {
    const rows = await this.database.rows(sql<{ entry: JsonObject; salts: Salts }>`
      select entry, salts from activity_entries
      where entry->'object'->>'session_id' = ${sessionId} order by sequence`);
    return rows.map(({ entry, salts }) => openPersonalValues(entry, salts));
  };
}

/** Sets up the organization before the stories of this `describe`, and drops the database after them. */
export function signInStories(): SignInStories {
  const stories = new SignInStories();
  let count = 0;
  beforeAll(async () => {
    stories.database = await createTestDatabase();
    stories.foundation = testFoundation(stories.database, stories.clock);
    stories.seed = await seedOrganization(stories.foundation);
  });
  beforeEach(() => {
    stories.address = `198.18.0.${(count += 1)}`;
  });
  afterAll(async () => stories.database[Symbol.asyncDispose]());
  return stories;
}

import { describe, expect, it } from '@jest/globals';
import { createAuthenticator } from '../../../../src/domain/access/index.js';
import { newApiKeySecret } from '../../../../src/domain/access/authentication/api-key.js';
import { newSessionToken } from '../../../../src/domain/access/authentication/session-lifetime.js';
import { createAdmission } from '../../../../src/edge/graphql/index.js';
import { identifyClient } from '../../../../src/edge/graphql/limits/identify-client.js';
import { isLucarneError } from '../../../../src/platform/kernel/errors.js';
import { systemRandom } from '../../../../src/platform/kernel/random.js';
import { forFile } from '../../../kit/for-file.js';
import { openTestFoundation, seedApiKey, seedMember, seedOrganization } from '../../../kit/seed.js';

const UNITS = 1_200;
const ATTACKER = '203.0.113.1';

const { database, foundation } = await openTestFoundation();
const home = await seedOrganization(foundation);
let statements = 0;
const counted = {
  ...foundation,
  database: {
    ...database,
    rows: ((statement) => {
      statements += 1;
      return database.rows(statement);
    }) as typeof database.rows,
  },
};

/** A gateway that has just started. */
function open() {
  const authenticator = forFile(createAuthenticator(counted));
  const admission = createAdmission({ clock: { now: () => new Date(0) } });
  const outcomeOf = async (presented: { bearer?: string; sessionToken?: string }, client = ATTACKER) => {
    try {
      const principal = await identifyClient({ authenticator, admission }, client, presented);
      return principal?.kind ?? 'nobody';
    } catch (thrown) {
      if (isLucarneError(thrown)) return thrown.code;
      throw thrown;
    }
  };
  const badKey = () => ({ bearer: newApiKeySecret(systemRandom) });
  const badKeys = async (count: number) =>
    Promise.all(Array.from({ length: count }, () => outcomeOf(badKey())));
  return { admission, outcomeOf, badKeys };
}

describe('a client that guesses API keys', () => {
  it('is refused with another error once it has used up its budget, and then costs a statement for all of its keys', async () => {
    const { badKeys, outcomeOf } = open();
    expect(new Set(await badKeys(UNITS))).toEqual(new Set(['UNAUTHENTICATED']));
    statements = 0;
    const guesses = badKeys(200);
    // These arrive in other turns of the event loop.
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    const later = badKeys(200);
    expect(new Set([...(await guesses), ...(await later)])).toEqual(new Set(['TOO_MANY_REQUESTS']));
    expect(statements).toBe(1);
    expect(await outcomeOf({ bearer: 'lck_nothing' })).toBe('TOO_MANY_REQUESTS');
    expect(await outcomeOf({ bearer: 'lck_nothing' }, '203.0.113.2')).toBe('UNAUTHENTICATED');
  });

  it('does not use up anything that valid keys and sessions at its address need', async () => {
    const { badKeys, outcomeOf } = open();
    const known = home.apiKey.secret;
    expect(await outcomeOf({ bearer: known })).toBe('api_key');
    await badKeys(UNITS);
    const { secret: unseen } = await seedApiKey(foundation, home.organization.id);
    const { sessionToken } = await seedMember(foundation, home.organization.id);
    const guesses = badKeys(100);
    const order: string[] = [];
    const valid = [
      outcomeOf({ bearer: unseen }).finally(() => order.push('unseen')),
      outcomeOf({ bearer: known }).finally(() => order.push('known')),
      outcomeOf({ sessionToken }),
    ];
    expect(await Promise.all(valid)).toEqual(['api_key', 'api_key', 'user']);
    // A key that was accepted before is not even late.
    expect(order).toEqual(['known', 'unseen']);
    expect(new Set(await guesses)).toEqual(new Set(['TOO_MANY_REQUESTS']));
  });

  it('pays for sessions that have ended, which are no caller and not refused', async () => {
    const { admission, outcomeOf } = open();
    const ended = () => ({ sessionToken: newSessionToken(systemRandom) });
    expect(new Set(await Promise.all(Array.from({ length: UNITS }, () => outcomeOf(ended()))))).toEqual(
      new Set(['nobody']),
    );
    expect(admission.refusal(ATTACKER)).toBeDefined();
    expect(await outcomeOf(ended())).toBe('nobody');
    expect(await outcomeOf({})).toBe('nobody');
  });
});

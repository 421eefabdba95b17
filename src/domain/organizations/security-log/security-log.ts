import { acrossOrganizations, type Foundation, jsonb, sql } from '../../../platform/database/index.js';
import { hex } from '../../../platform/kernel/encoding/bytes.js';
import { timestamp } from '../../../platform/kernel/clock.js';
import type { Denial, LucarneError } from '../../../platform/kernel/errors.js';
import { isStorable } from '../../../platform/kernel/text.js';
import { foldEmail } from '../accounts/parse-email.js';
import { actorOf, type Principal } from '../../access/index.js';
import { noteBounds } from './note-bounds.js';

/** The refused caller, and the refused operation. */
export interface RefusedRequest {
  readonly principal: Principal | undefined;
  readonly clientAddress: string;
  readonly requestId: string;
  /** The field of the schema or the REST operation. */
  readonly operation: string;
}

/**
 * Records refusals, separately from the activity log, which contains completed actions only. A record is a log line and a
 * row, written after the response, so it neither delays nor fails a request. The number of records per minute is limited
 * for each client and in total.
 */
export interface SecurityLog extends AsyncDisposable {
  /** Ignores errors that are not denials. */
  refused(error: LucarneError | undefined, request: RefusedRequest): void;
}

/** Records that are made within this time are written together. */
const BATCH_INTERVAL_MS = 20;

export function createSecurityLog(foundation: Foundation): SecurityLog {
  const { clock, log } = foundation;
  // Callers without credentials can use any number of addresses. Their refusals must not displace those of members, nor those
  // that name a key that was revoked or has expired.
  const bounds = { somebody: noteBounds(log), endedKey: noteBounds(log), nobody: noteBounds(log) };
  let gathered: Note[] = [];
  let gathering: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const write = () => {
    clearTimeout(gathering);
    gathering = undefined;
    const notes = gathered;
    gathered = [];
    if (notes.length === 0) return;
    // Writes the refusals of all callers, after their requests.
    writing = writing
      .then(() => acrossOrganizations(() => insert(foundation, notes)))
      .catch((thrown: unknown) => log.warn({ err: thrown }, 'Writing security events failed.'));
  };

  return {
    refused(error, request) {
      if (!error?.denial) return;
      const now = clock.now();
      const caller = request.principal ? 'somebody' : 'nobody';
      const bound = bounds[error.denial.apiKey ? 'endedKey' : caller];
      if (!bound.admit(request.clientAddress, now)) return;
      const note = noteOf(foundation, error.denial, request, now);
      log.warn({ ...note, account: undefined }, 'A request was refused.');
      gathered.push(note);
      gathering ??= setTimeout(write, BATCH_INTERVAL_MS).unref();
    },
    async [Symbol.asyncDispose]() {
      write();
      await writing;
    },
  };
}

interface Note {
  readonly event: Denial['event'];
  readonly operation: string;
  readonly organizationId: string | null;
  readonly subjectId: string | null;
  readonly accountDigest: string | null;
  /** For the lookup of the account. It is not stored. */
  readonly account: string | null;
  readonly clientAddress: string;
  readonly requestId: string;
  readonly at: string;
}

function noteOf(
  { sealer }: Foundation,
  { event, account, isOfSession = false, apiKey }: Denial,
  { principal, operation, clientAddress, requestId }: RefusedRequest,
  at: Date,
): Note {
  const digest = account && sealer.digest(foldEmail(account), 'security_events/account_digest');
  // A wrong password or code in a session belongs to the session, and so does a lockout. A failed sign-in belongs to the tried
  // accounts only, never to the organization of a caller who is signed in: it would see which addresses have no account elsewhere.
  const tried = event === 'password.refused' || isOfSession ? undefined : account;
  const caller = tried === undefined ? principal : undefined;
  return {
    event,
    operation,
    organizationId: apiKey?.organizationId ?? caller?.organizationId ?? null,
    subjectId: apiKey?.id ?? (caller ? actorOf(caller).id : null),
    accountDigest: digest ? hex.encode(digest) : null,
    account: tried !== undefined && isStorable(tried) ? tried : null,
    clientAddress,
    requestId,
    at: timestamp(at),
  };
}

// A failed sign-in belongs to each organization that has an account of the address, no matter who tried: it names neither an
// organization nor an account. Its client address is shown only to those whose account is of the person with this address, as
// far as anyone knows. Otherwise an owner could create an account for somebody else's address and see from where that person
// signs in elsewhere. This depends on nothing but the account, so it does not reveal whether there are others. The lookup is
// here and not in the sign-in, where its time would reveal whether an account exists. A set of rows from JSON is beyond the
// builder.
async function insert({ database }: Foundation, notes: readonly Note[]): Promise<void> {
  await database.transaction((transaction) =>
    transaction.rows(sql`
      insert into security_events
        (event, operation, organization_id, subject_id, account_digest, client_address, request_id, created_at,
        shows_client)
      select note->>'event', note->>'operation', coalesce(tried.organization_id, note->>'organizationId'),
        coalesce(tried.id, note->>'subjectId'), decode(note->>'accountDigest', 'hex'),
        note->>'clientAddress', note->>'requestId', (note->>'at')::timestamptz,
        accounts.id is null or accounts.address_proven_at is not null
      from jsonb_array_elements(${jsonb(notes)}) with ordinality as noted (note, place)
      left join (accounts join users tried on tried.account_id = accounts.id and tried.ended_at is null)
        on lower(accounts.email) = lower(note->>'account')
      order by place`),
  );
}

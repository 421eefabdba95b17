import { jsonb, sql, type Foundation } from '../../database/index.js';
import { hex } from '../../kernel/bytes.js';
import { timestamp } from '../../kernel/clock.js';
import { messageOf, type Denial, type LucarneError } from '../../kernel/errors.js';
import { foldEmail } from '../parse-email.js';
import { actorOf, type Principal } from '../principal.js';
import { noteBounds } from './note-bounds.js';
import { sweepSecurityEvents } from './sweep-security-events.js';

/** Whom something was refused, and what. */
export interface RefusedRequest {
  readonly principal: Principal | undefined;
  readonly clientAddress: string;
  readonly requestId: string;
  /** The field of the schema or the REST operation. */
  readonly operation: string;
}

/**
 * Notes refusals, apart from the activity log, which holds completed actions only. A note is a log line and a row, made
 * behind the answer: it neither delays nor fails it. What one address, and all together, can cause in a minute is
 * bounded.
 */
export interface SecurityLog extends AsyncDisposable {
  /** Passes over an error that is no denial. */
  refused(error: LucarneError | undefined, request: RefusedRequest): void;
}

/** Notes made this close together are written together. */
const GATHERING_MILLISECONDS = 20;
const SWEEP_MILLISECONDS = 60 * 60_000;

export function createSecurityLog(foundation: Foundation): SecurityLog {
  const { clock, log } = foundation;
  // Who shows no credentials can bring any number of addresses, and is not to hide what members are refused.
  const bounds = { somebody: noteBounds(log), nobody: noteBounds(log) };
  let gathered: Note[] = [];
  let gathering: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const inTurn = (work: () => Promise<void>, failure: string) => {
    writing = writing.then(work).catch((thrown: unknown) => log.warn({ reason: messageOf(thrown) }, failure));
  };
  const write = () => {
    clearTimeout(gathering);
    gathering = undefined;
    const notes = gathered;
    gathered = [];
    if (notes.length > 0) inTurn(() => insert(foundation, notes), 'Security events could not be written.');
  };
  const sweeping = setInterval(() => {
    inTurn(() => sweepSecurityEvents(foundation), 'Old security events could not be removed.');
  }, SWEEP_MILLISECONDS).unref();

  return {
    refused(error, request) {
      if (!error?.denial) return;
      const now = clock.now();
      const bound = bounds[request.principal ? 'somebody' : 'nobody'];
      if (!bound.admit(request.clientAddress, now)) return;
      const note = noteOf(foundation, error.denial, request, now);
      log.warn({ ...note, account: undefined }, 'Something was refused.');
      gathered.push(note);
      gathering ??= setTimeout(write, GATHERING_MILLISECONDS).unref();
    },
    async [Symbol.asyncDispose]() {
      clearInterval(sweeping);
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
  /** To find whose account it is; written nowhere. */
  readonly account: string | null;
  readonly clientAddress: string;
  readonly requestId: string;
  readonly at: string;
}

function noteOf(
  { sealer }: Foundation,
  { event, account }: Denial,
  { principal, operation, clientAddress, requestId }: RefusedRequest,
  at: Date,
): Note {
  const digest = account && sealer.digest(foldEmail(account), 'security_events/account_digest');
  return {
    event,
    operation,
    organizationId: principal?.organizationId ?? null,
    subjectId: principal ? actorOf(principal).id : null,
    accountDigest: digest ? hex.encode(digest) : null,
    // What no statement can hold is nobody's address.
    account: account !== undefined && !/[\0\p{Cs}]/u.test(account) ? account : null,
    clientAddress,
    requestId,
    at: timestamp(at),
  };
}

// It belongs to whose account was tried, whoever tried it. That is looked up here and not while signing in, where it would take time only when there is one.
async function insert({ database }: Foundation, notes: readonly Note[]): Promise<void> {
  await database.transaction((transaction) =>
    transaction.rows(sql`
      insert into security_events
        (event, operation, organization_id, subject_id, account_digest, client_address, request_id, created_at)
      select note->>'event', note->>'operation', coalesce(m.organization_id, note->>'organizationId'),
        coalesce(m.user_id, note->>'subjectId'), decode(note->>'accountDigest', 'hex'),
        note->>'clientAddress', note->>'requestId', (note->>'at')::timestamptz
      from jsonb_array_elements(${jsonb(notes)}) with ordinality as given (note, place)
      left join users u on lower(u.email) = lower(note->>'account')
      left join memberships m on m.user_id = u.id
      order by place`),
  );
}

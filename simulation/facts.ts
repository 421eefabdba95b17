/** A committed change, as reported by triggers of the simulated database. */
export type Fact =
  | {
      readonly table: 'request';
      readonly id: string;
      readonly before: RequestRow | null;
      readonly after: RequestRow;
    }
  | {
      readonly table: 'event';
      readonly id: string;
      readonly sequence: number;
      readonly status: string;
      readonly reason: string | null;
      readonly signature: string | null;
      /** `state`: the end is proven by accounts, and no provider shows the transaction. */
      readonly by: string | null;
      readonly at: number;
    }
  | {
      readonly table: 'attempt';
      readonly id: string;
      readonly number: number;
      readonly signature: string;
      readonly blockhash: string;
      /** In hex. */
      readonly payer: string;
    }
  | {
      readonly table: 'conclusion';
      readonly id: string;
      readonly signature: string;
      readonly outcome: string;
    };

export interface RequestRow {
  readonly status: string;
  readonly sequence: number;
  readonly owner: string | null;
  readonly token: number;
  readonly waitingFor: string | null;
  /** Whether the lease has not expired at the time of the change. */
  readonly isHeld: boolean;
}

export const parseFact = (text: string) => JSON.parse(text) as Fact;

const row = (name: string) => `json_build_object('status', ${name}.status, 'sequence', ${name}.sequence,
  'owner', ${name}.lease_owner, 'token', ${name}.fencing_token, 'waitingFor', ${name}.waiting_for,
  'isHeld', ${name}.lease_owner is not null and ${name}.lease_expires_at > now())`;

/** The world receives a notification if and only if its transaction commits. */
const trigger = (table: string, when: string, fact: string) => `
  create function simulation_tell_${table}() returns trigger language plpgsql as $$
  begin
    perform pg_notify('simulation', (${fact}::jsonb || jsonb_build_object('n', nextval('simulation_facts')))::text);
    return null;
  end $$;
  create trigger simulation_tell after ${when} on ${table} for each row execute function simulation_tell_${table}();`;

/** The simulator's triggers, in addition to the product's schema. */
export const PUBLISH_FACTS = `
  create sequence simulation_facts;
  ${trigger(
    'relay_requests',
    'insert or update',
    `json_build_object('table', 'request', 'id', new.id, 'after', ${row('new')},
      'before', case when tg_op = 'UPDATE' then ${row('old')} end)`,
  )}
  ${trigger(
    'relay_events',
    'insert',
    `json_build_object('table', 'event', 'id', new.request_id, 'sequence', new.sequence, 'status', new.status,
      'reason', new.reason, 'signature', new.signature, 'by', new.evidence->>'by',
      'at', extract(epoch from new.created_at) * 1000)`,
  )}
  ${trigger(
    'relay_attempts',
    'insert',
    `json_build_object('table', 'attempt', 'id', new.request_id, 'number', new.number, 'signature', new.signature,
      'blockhash', new.blockhash, 'payer', encode(substring(new.transaction from 71 for 32), 'hex'))`,
  )}
  ${trigger(
    'relay_conclusions',
    'insert',
    `json_build_object('table', 'conclusion', 'id', new.request_id, 'outcome', new.outcome, 'signature',
      (select signature from relay_attempts where request_id = new.request_id and number = new.number))`,
  )}`;

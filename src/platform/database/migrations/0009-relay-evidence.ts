import { Migration } from '@mikro-orm/migrations';

/** Relays: attempts never change, conclusions about them are separate rows, and each wait has a name. */
export class Migration0009RelayEvidence extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // What finalized state proves about an attempt: it landed and succeeded, it landed and failed, or it can never land (`dead`,
  // with the proof as `evidence`). The newest conclusion counts.
  `create table relay_conclusions (
    request_id text not null,
    number integer not null,
    position integer not null check (position >= 1),
    outcome text not null check (outcome in ('landed', 'failed', 'dead')),
    evidence jsonb not null,
    concluded_at timestamptz(3) not null,
    primary key (request_id, number, position),
    foreign key (request_id, number) references relay_attempts
  )`,
  `insert into relay_conclusions (request_id, number, position, outcome, evidence, concluded_at)
    select request_id, number, 1, outcome, evidence, concluded_at from relay_attempts where outcome is not null`,
  `alter table relay_attempts drop column outcome, drop column evidence, drop column concluded_at`,
  `create trigger relay_attempts_never_change before update or delete or truncate on relay_attempts
    for each statement execute function refuse_change()`,
  `create trigger relay_conclusions_never_change before update or delete or truncate on relay_conclusions
    for each statement execute function refuse_change()`,

  // What the request waits for, according to the last look. Null before the first look and after the end.
  `alter table relay_requests add column waiting_for text check (waiting_for in ('landing', 'finality', 'majority',
    'effect', 'agreement', 'minimum_time', 'silent_providers', 'spender'))`,
];

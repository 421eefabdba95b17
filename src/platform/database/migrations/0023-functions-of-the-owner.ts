import { Migration } from '@mikro-orm/migrations';

/**
 * Functions read the tables of the schema in which they are, and never a temporary table of that name, which any role may make: it would
 * decide what a trigger lets pass, and its triggers would run as the owner of a `security definer` function. The trigger that
 * keeps pieces of reports looks as the owner: row-level security would hide from it the reports of other organizations.
 */
export class Migration0023FunctionsOfTheOwner extends Migration {
  override up(): void {
    this.addSql('alter function keep_report_chunks() security definer');
    for (const name of FUNCTIONS)
      this.addSql(`do $$ begin execute format(
      'alter function %1$I.${name}() set search_path to %1$I, pg_temp', current_schema()); end $$`);
  }
}

const FUNCTIONS = [
  'forget_expired_idempotency_keys',
  'forget_refused_relays',
  'keep_report_chunks',
  'refuse_change',
  'refuse_relay_event_change',
];

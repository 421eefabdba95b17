import { Migration } from '@mikro-orm/migrations';

/**
 * Makes functions use only the tables of their schema, and never a temporary table of the same name. Any role can create a
 * temporary table: it would decide what a trigger allows, and its triggers would run as the owner of a `security definer`
 * function. The trigger that keeps the chunks of reports runs as the owner, because row-level security would hide the reports
 * of other organizations from it.
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

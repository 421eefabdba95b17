import { Migration } from '@mikro-orm/migrations';

/**
 * Deletes relays that were rejected at admission in batches of the sweep, which counts them. Processes of the previous version
 * call the function without an argument.
 */
export class Migration0066SweptRelays extends Migration {
  override up(): void {
    // Runs as the owner of the tables, so that the serving role needs no permission to delete.
    this
      .addSql(`create function forget_refused_relays(batch_size integer) returns integer language plpgsql security definer as $$
  declare forgotten text[];
  begin
    forgotten := array(
      select id from relay_requests
      where sealed_package is null and status = 'rejected' and updated_at < now() - interval '1 day'
      order by updated_at limit batch_size for update skip locked);
    delete from relay_events where request_id = any(forgotten);
    delete from relay_requests where id = any(forgotten);
    return cardinality(forgotten);
  end $$`);
    this.addSql(`do $$ begin execute format(
      'alter function %1$I.forget_refused_relays(integer) set search_path to %1$I, pg_temp', current_schema()); end $$`);
  }
}

import { Migration } from '@mikro-orm/migrations';

/** Relays: packages that were rejected at admission are deleted after a day. */
export class Migration0011RelayJunk extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // A package that was rejected at admission is not kept (`sealed_package` is null): anyone can submit any number of them. Its
  // request and its events may be deleted after a day. No other event is ever deleted.
  `create function refuse_relay_event_change() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' and exists (
      select from relay_requests as requests
      where requests.id = old.request_id and requests.sealed_package is null and requests.status = 'rejected'
        and requests.updated_at < now() - interval '1 day')
    then
      return old;
    end if;
    raise exception '% is append-only', tg_table_name;
  end $$`,
  `drop trigger relay_events_never_change on relay_events`,
  `create trigger relay_events_never_change before update or delete on relay_events
    for each row execute function refuse_relay_event_change()`,
  `create trigger relay_events_never_truncate before truncate on relay_events
    for each statement execute function refuse_change()`,

  // Runs as the owner of the tables, so that the serving role needs no permission to delete.
  `create function forget_refused_relays() returns void language plpgsql security definer
    set search_path from current as $$
  declare forgotten text[];
  begin
    forgotten := array(
      select id from relay_requests
      where sealed_package is null and status = 'rejected' and updated_at < now() - interval '1 day'
      order by updated_at limit 100 for update skip locked);
    delete from relay_events where request_id = any(forgotten);
    delete from relay_requests where id = any(forgotten);
  end $$`,
  `create index relay_requests_refused on relay_requests (updated_at)
    where sealed_package is null and status = 'rejected'`,
];

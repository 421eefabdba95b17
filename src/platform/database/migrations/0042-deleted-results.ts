import { Migration } from '@mikro-orm/migrations';

/**
 * When the result of a disclosure was deleted, which readers can see. The database records it, so it does not depend on the
 * version of the gateway. A result never changes: only the owner of the tables can reseal it, and no result can be written in
 * place of a deleted one.
 */
export class Migration0042DeletedResults extends Migration {
  override up(): void {
    this.addSql('alter table disclosures add column result_deleted_at timestamp(3) with time zone');
    this.addSql(KEEP_RESULTS);
    this.addSql(`do $$ begin execute format(
      'alter function %1$I.keep_disclosure_results() set search_path to %1$I, pg_temp', current_schema()); end $$`);
    this.addSql('drop trigger disclosure_results_are_kept on disclosures');
    this.addSql(`create trigger disclosure_results_are_kept before update on disclosures
      for each row when (old.sealed_result is distinct from new.sealed_result
        or old.stored_at is distinct from new.stored_at
        or old.result_deleted_at is distinct from new.result_deleted_at)
      execute function keep_disclosure_results()`);
  }
}

// The function runs as the owner, so it checks the role of the session.
const KEEP_RESULTS = `create or replace function keep_disclosure_results() returns trigger language plpgsql
    security definer set search_path from current as $$
    begin
      if old.stored_at is distinct from new.stored_at then
        raise exception 'When a disclosure was stored never changes.';
      end if;
      if old.sealed_result is not null and new.sealed_result is null then
        if is_under_legal_hold(old.organization_id, 'disclosure_results')
          or not coalesce(greatest(old.resolved_at, old.stored_at) <= now() - interval '5 years', false)
        then
          raise exception 'The result of a disclosure is kept for at least 5 years, and while a legal hold is in force.';
        end if;
        new.result_deleted_at := now();
        return new;
      end if;
      if old.result_deleted_at is distinct from new.result_deleted_at then
        raise exception 'When a result was deleted never changes.';
      end if;
      if old.result_deleted_at is not null then
        raise exception 'A result that was deleted stays deleted.';
      end if;
      if old.sealed_result is not null and old.sealed_result is distinct from new.sealed_result
        and not pg_has_role(coalesce(nullif(current_setting('role'), 'none'), session_user)::name,
          (select relowner from pg_class where oid = tg_relid), 'member')
      then
        raise exception 'The result of a disclosure never changes. Only the owner of the tables seals it again.';
      end if;
      return new;
    end $$`;

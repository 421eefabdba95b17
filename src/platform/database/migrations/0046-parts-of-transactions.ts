import { Migration } from '@mikro-orm/migrations';
import { lockBriefly } from './lock-briefly.js';

/**
 * Partitions the table of records. All records stay in the existing table until an operator moves old ones into separate parts.
 * The migration reads and writes only the catalog, whatever the number of records.
 */
export class Migration0046PartsOfTransactions extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  lockBriefly(['transactions', 'access exclusive'], ['assets', 'access exclusive']),

  // The newest slot of an asset's records that are in parts of old records. Before a record up to this slot is inserted, it is
  // looked up there.
  `alter table assets add column moved_slot bigint`,

  `alter table transactions rename to transactions_live`,
  // The day (counted from 1970) before which the records of the part were indexed.
  `alter table transactions_live add column part integer not null default 0,
    add constraint transactions_live_part check (part = 0) not valid`,
  `drop trigger transactions_take_organization on transactions_live`,

  `create table transactions (like transactions_live including defaults) partition by list (part)`,
  `alter table transactions add constraint transactions_asset_fkey
    foreign key (asset_id, organization_id) references assets (id, organization_id)`,
  // As the default partition, it is attached without reading any row.
  `alter table transactions attach partition transactions_live default`,
  `create trigger transactions_take_organization before insert on transactions
    for each row when (new.organization_id is null) execute function take_organization_of_asset()`,

  `create policy organization on transactions using (
    (select current_setting('lucarne.acting_for', true)) = '*'
    or organization_id = any ((select string_to_array(current_setting('lucarne.acting_for', true), ','))::text[]))`,
  `alter table transactions enable row level security`,
  // A serving role keeps its permissions, and can access records only through this table.
  `do $$ declare held record;
  begin
    for held in
      select privilege_type, case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end as grantee
      from pg_class cross join lateral aclexplode(relacl) as acl
      where pg_class.oid = 'transactions_live'::regclass and acl.grantee <> relowner
    loop
      execute format('grant %s on transactions to %s', held.privilege_type, held.grantee);
      execute format('revoke %s on transactions_live from %s', held.privilege_type, held.grantee);
    end loop;
  end $$`,

  // An index covers only one part. This rule ensures that an instruction is indexed once across all parts.
  `create function refuse_indexed_in_parts() returns trigger language plpgsql as $$
  begin
    if exists (
      select from assets
      join arrived on arrived.asset_id = assets.id and arrived.slot <= assets.moved_slot
      cross join lateral (
        select from transactions as known
        where known.part > 0 and known.signature = arrived.signature and known.path = arrived.path
          and known.asset_id = arrived.asset_id
        limit 1) as known)
    then
      raise unique_violation using constraint = 'transactions_signature',
        message = 'A part holds a record of this signature and path.';
    end if;
    return null;
  end $$`,
  `do $$ begin execute format(
    'alter function %1$I.refuse_indexed_in_parts() set search_path to %1$I, pg_temp', current_schema()); end $$`,
  `create trigger transactions_indexed_once after insert on transactions
    referencing new table as arrived for each statement execute function refuse_indexed_in_parts()`,
];

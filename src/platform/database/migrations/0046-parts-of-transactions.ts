import { Migration } from '@mikro-orm/migrations';
import { lockBriefly } from './lock-briefly.js';

/**
 * Records live in parts: all of them in the table as it was, until an operator moves old ones into separate parts. Nothing is
 * read or written but the catalog, however many records there are.
 */
export class Migration0046PartsOfTransactions extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  lockBriefly(['transactions', 'access exclusive'], ['assets', 'access exclusive']),

  // The newest slot of an asset's records in parts of old records. Records up to it are looked for there before they are inserted.
  `alter table assets add column moved_slot bigint`,

  `alter table transactions rename to transactions_live`,
  // The day, of those since 1970, before which the records of the part were indexed.
  `alter table transactions_live add column part integer not null default 0,
    add constraint transactions_live_part check (part = 0) not valid`,
  `drop trigger transactions_take_organization on transactions_live`,

  `create table transactions (like transactions_live including defaults) partition by list (part)`,
  `alter table transactions add constraint transactions_asset_fkey
    foreign key (asset_id, organization_id) references assets (id, organization_id)`,
  // The default: to attach it, no row is read.
  `alter table transactions attach partition transactions_live default`,
  `create trigger transactions_take_organization before insert on transactions
    for each row when (new.organization_id is null) execute function take_organization_of_asset()`,

  `create policy organization on transactions using (
    (select current_setting('lucarne.acting_for', true)) = '*'
    or organization_id = any ((select string_to_array(current_setting('lucarne.acting_for', true), ','))::text[]))`,
  `alter table transactions enable row level security`,
  // A role that served still serves, and reaches records by this table only.
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

  // An index holds one part only. That an instruction is indexed once holds across parts.
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

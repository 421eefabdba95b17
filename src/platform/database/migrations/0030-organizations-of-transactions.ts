import { Migration } from '@mikro-orm/migrations';

/**
 * A record contains its organization, so that its policy compares a value of the row. To look up the asset of each row took as
 * long as reading the row.
 */
export class Migration0030OrganizationsOfTransactions extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  `create function organization_of_asset(asset_id text) returns text language sql stable as $$
  select organization_id from assets where id = $1
  $$`,
  // The previous version of the gateway does not set the organization.
  `create function take_organization_of_asset() returns trigger language plpgsql as $$
  begin
    new.organization_id := organization_of_asset(new.asset_id);
    return new;
  end $$`,
  ...['organization_of_asset(text)', 'take_organization_of_asset()'].map(
    (name) => `do $$ begin execute format(
    'alter function %1$I.${name} set search_path to %1$I, pg_temp', current_schema()); end $$`,
  ),

  // A change of type rewrites the table once. An update would leave it and each index twice as large.
  `alter table transactions add column organization_id text`,
  `alter table transactions
    alter column organization_id type text using organization_of_asset(asset_id),
    alter column organization_id set not null`,
  `create trigger transactions_take_organization before insert on transactions
    for each row when (new.organization_id is null) execute function take_organization_of_asset()`,

  // The organization of a record is that of its asset.
  `alter table assets add constraint assets_id_organization_id_key unique (id, organization_id)`,
  `alter table transactions drop constraint transactions_asset_id_fkey,
    add constraint transactions_asset_fkey foreign key (asset_id, organization_id) references assets (id, organization_id)`,

  `alter policy organization on transactions using (
    (select current_setting('lucarne.acting_for', true)) = '*'
    or organization_id = any ((select string_to_array(current_setting('lucarne.acting_for', true), ','))::text[]))`,
];

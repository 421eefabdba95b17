import { Migration } from '@mikro-orm/migrations';

/** Cases can be ended early, and their auditors can change. */
export class Migration0017CaseChanges extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }
}

const STATEMENTS = [
  // The end is also written to expires_at, which decides access.
  `alter table cases
    add column ended_at timestamptz(3),
    add column ended_by text references users,
    add column end_reason text,
    add check ((ended_at is null) = (ended_by is null))`,
  `alter table proposed_operations drop constraint proposed_operations_operation_check,
    add constraint proposed_operations_operation_check check (operation in ('createDisclosurePolicy',
      'approveAddress', 'setAddressDefault', 'createApiKey', 'updateOrganization', 'addCaseAuditor'))`,
];

import { Migration } from '@mikro-orm/migrations';

/** An index for listing the checks of an application by id. Ids increase with time. */
export class Migration0027ListedChecks extends Migration {
  override up(): void {
    this.addSql(`create index address_checks_newest on address_checks (application_id, id)`);
  }
}

import { Migration } from '@mikro-orm/migrations';

/** The order in which the checks of an application are listed: ids grow with time. */
export class Migration0027ListedChecks extends Migration {
  override up(): void {
    this.addSql(`create index address_checks_newest on address_checks (application_id, id)`);
  }
}

import { Migration } from '@mikro-orm/migrations';

/** The type of a report that is being generated, so that its requester can find it. */
export class Migration0026GenerationTypes extends Migration {
  override up(): void {
    this.addSql(`alter table report_generations add column report_type text
      check (report_type in ('transaction_summary', 'transaction_detail', 'activity_log'))`);
  }
}

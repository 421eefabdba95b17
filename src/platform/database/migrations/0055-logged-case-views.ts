import { Migration } from '@mikro-orm/migrations';

/**
 * How many answers of an hour the log has recorded. When the hour has ended and there were more, the entry with the total is
 * still to be written. The previous version logs the first answer, which is the default, and a later view logs the total of the
 * earlier one.
 */
export class Migration0055LoggedCaseViews extends Migration {
  override up(): void {
    this.addSql('alter table case_views add column logged_answers integer not null default 1');
    this
      .addSql(`update case_views set logged_answers = answers where answers > 1 and exists (select from case_views later
      where later.case_id = case_views.case_id and later.user_id = case_views.user_id and later.hour > case_views.hour)`);
    this.addSql('create index case_views_unlogged on case_views (hour) where answers > logged_answers');
  }
}

import { Migration } from '@mikro-orm/migrations';
import { lockBriefly } from './lock-briefly.js';

/**
 * The session of the last download of a report, and the byte after the last one that was sent. The previous version keeps
 * both as they are: until its last process has ended, a download that it began may be continued without a second entry.
 */
export class Migration0060DownloadsOfSessions extends Migration {
  override up(): void {
    this.addSql(lockBriefly(['report_downloads', 'access exclusive']));
    this.addSql('alter table report_downloads add column session_id text, add column sent_to bigint');
  }
}

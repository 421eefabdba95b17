import { Migration } from '@mikro-orm/migrations';
import { lockBriefly } from './lock-briefly.js';

/** Open cases among ended ones, and the requests of one auditor among those of others, are found without reading the others. */
export class Migration0058CasesByReader extends Migration {
  override up(): void {
    this.addSql(lockBriefly(['cases', 'share row exclusive'], ['case_requests', 'share row exclusive']));
    this.addSql('create index cases_end on cases (application_id, expires_at)');
    this.addSql('create index case_requests_requester on case_requests (application_id, requested_by, id)');
    this.addSql(
      'create index case_requests_requester_change on case_requests (application_id, requested_by, change)',
    );
  }
}

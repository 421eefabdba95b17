import { Migration } from '@mikro-orm/migrations';
import { lockBriefly } from './lock-briefly.js';

/**
 * The application whose administrators may request a proposed operation too, and so may see it. Only owners see earlier
 * proposals.
 */
export class Migration0048ApplicationsOfProposals extends Migration {
  override up(): void {
    this.addSql(
      lockBriefly(['applications', 'share row exclusive'], ['proposed_operations', 'access exclusive']),
    );
    this.addSql(
      'alter table proposed_operations add column application_id text references applications (id)',
    );
  }
}

import { Migration } from '@mikro-orm/migrations';
import { lockBriefly } from './lock-briefly.js';

/** Whose administrators may ask for a proposed operation too, and so see it. Proposals from before are seen by owners only. */
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

import { Migration } from '@mikro-orm/migrations';
import { lockBriefly } from './lock-briefly.js';

/** Invitations that ended long ago are found without reading the others. */
export class Migration0061EndedInvitations extends Migration {
  override up(): void {
    this.addSql(lockBriefly(['invitations', 'share row exclusive']));
    this.addSql('create index invitations_end on invitations (organization_id, expires_at)');
  }
}

import { Migration } from '@mikro-orm/migrations';
import { lockBriefly } from './lock-briefly.js';

/**
 * Who first requested an API key: both persons who created it may get its secret. For earlier keys, only the confirmer is
 * known.
 */
export class Migration0050ProposersOfKeys extends Migration {
  override up(): void {
    this.addSql(lockBriefly(['api_keys', 'access exclusive']));
    this.addSql('alter table api_keys add column proposed_by text');
  }
}

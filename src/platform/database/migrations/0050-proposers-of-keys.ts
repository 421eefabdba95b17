import { Migration } from '@mikro-orm/migrations';
import { lockBriefly } from './lock-briefly.js';

/** Who asked for an API key first: both who made it may have its secret. Of keys from before only the confirmer is known. */
export class Migration0050ProposersOfKeys extends Migration {
  override up(): void {
    this.addSql(lockBriefly(['api_keys', 'access exclusive']));
    this.addSql('alter table api_keys add column proposed_by text');
  }
}

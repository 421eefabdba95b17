import { Migration } from '@mikro-orm/migrations';

/**
 * A relay whose end is known waits for the key that signs its receipts. The constraint allows one more value than before, so
 * the existing rows are not checked: that would take a long time under a lock that blocks every relay.
 */
export class Migration0045RelaysWaitForKeys extends Migration {
  override up(): void {
    this.addSql(`alter table relay_requests drop constraint relay_requests_waiting_for_check,
      add constraint relay_requests_waiting_for_check check (waiting_for in ('landing', 'finality', 'majority',
        'effect', 'agreement', 'minimum_time', 'silent_providers', 'spender', 'signing_key')) not valid`);
  }
}

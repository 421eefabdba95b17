import { Migration } from '@mikro-orm/migrations';

/** The account that pays for an attempt. */
export class Migration0038RelayPayers extends Migration {
  override up(): void {
    // The signed bytes have always contained it: one signature of 64 bytes, the version, the header of 3 bytes and the number
    // of accounts precede the payer, which is the first account. The previous version of the gateway also writes these bytes.
    this.addSql(
      `create index relay_attempts_payer on relay_attempts (substring(transaction from 71 for 32), created_at)`,
    );
  }
}

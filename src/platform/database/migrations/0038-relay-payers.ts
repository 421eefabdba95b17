import { Migration } from '@mikro-orm/migrations';

/** Which account pays for an attempt. */
export class Migration0038RelayPayers extends Migration {
  override up(): void {
    // In the bytes since the first attempt: after one signature of 64 bytes, the version, the header of 3 bytes and the
    // number of accounts, of which the payer is the first. The version before this one writes it, too, without knowing.
    this.addSql(
      `create index relay_attempts_payer on relay_attempts (substring(transaction from 71 for 32), created_at)`,
    );
  }
}

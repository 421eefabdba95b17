import { Migration } from '@mikro-orm/migrations';

/** Helps a person to recognize their sessions. Stored only while a session is open. */
export class Migration0034SessionClients extends Migration {
  override up(): void {
    this.addSql(`alter table sessions add column client_address text, add column user_agent text`);
  }
}
